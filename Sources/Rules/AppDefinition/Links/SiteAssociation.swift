import JSON

/// The association of a website with an app of Apple's platforms: the file
/// `apple-app-site-association`.
public struct SiteAssociation: Sendable {
    /// The action that the operating system takes for a link.
    public enum Verdict: Sendable, Equatable, CustomStringConvertible {
        case opensApp
        /// The rule with this number, counted from 1, excludes the link.
        case excluded(by: Int)
        case staysInBrowser

        public var description: String {
            switch self {
            case .opensApp: "opens the app"
            case .excluded(let number): "excluded by component \(number)"
            case .staysInBrowser: "stays in the browser"
            }
        }
    }

    /// The rules, in the order in which the system tries them.
    public let components: [URLComponentPattern]

    /// Reads the content of a file.
    /// - Parameter app: the id of the app, such as `ABCDE12345.com.example.app`; nil if the file
    ///   has only one.
    /// - Throws: `LinkFileError` if the file is not in Apple's format, or if it is not clear which
    ///   app is meant.
    public init(_ file: JSONValue, app: String?) throws(LinkFileError) {
        guard let links = file["applinks"], let details = links["details"]?.all(\.object)
        else { throw LinkFileError("expected applinks.details, a list of objects") }
        let known = Set(details.flatMap(Self.apps(of:))).sorted()
        guard let app = app ?? (known.count == 1 ? known[0] : nil) else {
            throw LinkFileError(
                "choose one of the apps with --app: \(known.joined(separator: ", "))",
                isAmbiguous: !known.isEmpty)
        }
        guard known.contains(app) else {
            throw LinkFileError(
                "no app has the id \(app); the file has \(known.joined(separator: ", "))")
        }
        self = try Self(details.filter { Self.apps(of: $0).contains(app) }, of: links)
    }

    private init(
        _ details: [JSONObject], of links: JSONValue
    ) throws(LinkFileError) {
        let members = links["substitutionVariables"]?.object?.members ?? []
        let variables = Dictionary(
            members.compactMap { member in member.value.texts.map { (member.name, $0) } },
            uniquingKeysWith: { $1 })
        let common = links["defaults"]?.object ?? JSONObject()
        var components: [URLComponentPattern] = []
        for detail in details {
            // The system ignores `paths` beside `components`.
            guard let rules = detail["components"]?.elements else {
                components += (detail["paths"]?.texts ?? []).map(URLComponentPattern.init(path:))
                continue
            }
            let defaults = (detail["defaults"]?.object?.members ?? []).reduce(common) {
                $0.setting($1.name, to: $1.value)
            }
            for rule in rules {
                components.append(
                    try URLComponentPattern(
                        rule, number: components.count + 1, defaults: defaults, variables: variables
                    ))
            }
        }
        self.components = components
    }

    /// The ids of the apps to which an entry of `details` applies.
    private static func apps(of detail: JSONObject) -> [String] {
        detail["appIDs"]?.texts ?? detail["appID"]?.text.map { [$0] } ?? []
    }

    /// Returns what the system does with a link. The first rule that covers the link decides.
    /// - Parameter link: a path with percent-encoding and, if it has one, a query.
    public func verdict(of link: String) -> Verdict {
        components.verdict(of: link)
    }
}

extension [URLComponentPattern] {
    func verdict(of link: String) -> SiteAssociation.Verdict {
        guard let index = firstIndex(where: { $0.matches(link) }) else { return .staysInBrowser }
        return self[index].isExcluded ? .excluded(by: index + 1) : .opensApp
    }

    /// Returns, for each rule that lets in links without a pattern, the number of the rule and such
    /// a link.
    /// - Parameter hasPattern: whether the app has a pattern for a link.
    public func strayLinks(_ hasPattern: (String) -> Bool) -> [(number: Int, link: String)] {
        enumerated().compactMap { index, component in
            guard !component.isExcluded else { return nil }
            let link = component.samples.first { sample in
                firstIndex { $0.matches(sample) } == index && !hasPattern(sample)
            }
            return link.map { (index + 1, $0) }
        }
    }
}

/// A file that associates a website with an app is not in its format.
public struct LinkFileError: Error, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether the file may be right, but has several apps, of which none was chosen.
    public let isAmbiguous: Bool

    init(_ description: String, isAmbiguous: Bool = false) {
        self.description = description
        self.isAmbiguous = isAmbiguous
    }
}
