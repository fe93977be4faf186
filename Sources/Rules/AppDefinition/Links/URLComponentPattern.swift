import Foundation
import JSON

/// The rule for a group of URLs in a file that associates a website with an app, such as
/// `{"/": "/help/*", "exclude": true}`. Apple's and Google's files have the same form
/// (applinks.details.components; dynamic_app_link_components).
public struct URLComponentPattern: Sendable {
    private enum Query: Sendable {
        /// A pattern for the whole query.
        case whole(String)
        /// A pattern for the value of each query item. An absent item has an empty value.
        case items([(name: String, pattern: String)])
    }

    public let isExcluded: Bool
    /// The pattern for the path.
    public let path: String
    private let query: Query
    private let fragment: String
    private let isCaseSensitive: Bool
    private let isPercentEncoded: Bool
    private let variables: [String: [String]]

    /// - Parameters:
    ///   - json: an object of the file.
    ///   - number: the number of the object in the file, for the error.
    ///   - defaults: the values of members that the object does not have; nil if the file can have
    ///     no such values.
    ///   - variables: for each variable of the patterns, the texts for which it stands.
    /// - Throws: an error if the value is not such an object, or if a member has another type.
    init(
        _ json: JSONValue, number: Int, defaults: JSONObject? = nil,
        variables: [String: [String]] = [:]
    ) throws(LinkFileError) {
        let mistake = LinkFileError(
            "component \(number): expected an object of patterns, with true or false for exclude, "
                + "caseSensitive and percentEncoded" + (defaults == nil ? "" : ", also in defaults")
        )
        guard let own = json.object else { throw mistake }
        func member(_ name: String) -> JSONValue? { own[name] ?? defaults?[name] }
        func text(_ name: String) -> String? { (member(name) ?? .string("*")).text }
        func flag(_ name: String, orElse value: Bool) -> Bool? {
            (member(name) ?? .boolean(value)).flag
        }
        guard let path = text("/"), let fragment = text("#"),
            let isExcluded = flag("exclude", orElse: false),
            let isCaseSensitive = flag("caseSensitive", orElse: true),
            let isPercentEncoded = flag("percentEncoded", orElse: true)
        else { throw mistake }
        switch member("?") {
        case nil: query = .whole("*")
        case .string(let whole): query = .whole(whole)
        case .object(let items):
            query = .items(
                try items.members.map { item throws(LinkFileError) in
                    guard let pattern = item.value.text else { throw mistake }
                    return (item.name, pattern)
                })
        default: throw mistake
        }
        self.path = path
        self.fragment = fragment
        self.isExcluded = isExcluded
        self.isCaseSensitive = isCaseSensitive
        self.isPercentEncoded = isPercentEncoded
        self.variables = variables
    }

    /// Creates a rule from an entry of Apple's older key `paths`, such as `/help/*` or `NOT /help`.
    init(path entry: String) {
        isExcluded = entry.hasPrefix("NOT ")
        path = isExcluded ? String(entry.dropFirst(4)) : entry
        query = .whole("*")
        fragment = "*"
        isCaseSensitive = true
        isPercentEncoded = true
        variables = [:]
    }

    /// Returns whether the rule covers a link.
    /// - Parameter link: a path with percent-encoding and, if it has one, a query. It has no
    ///   fragment.
    func matches(_ link: String) -> Bool {
        let parts = link.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let text = parts.count == 2 ? parts[1] : ""
        guard matches(String(parts[0]), path), matches("", fragment) else { return false }
        switch query {
        case .whole(let pattern): return matches(String(text), pattern)
        case .items(let items):
            var values: [Substring: Substring] = [:]
            for item in text.split(separator: "&") {
                let pair = item.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                values[pair[0]] = values[pair[0]] ?? (pair.count == 2 ? pair[1] : "")
            }
            return items.allSatisfy {
                matches(String(values[Substring($0.name)] ?? ""), $0.pattern)
            }
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        let text = isPercentEncoded ? text : text.removingPercentEncoding ?? text
        return Wildcards(pattern, variables).matches(text, ignoringCase: !isCaseSensitive)
    }

    /// Links that the rule covers, unless its pattern has classes of characters: one with a short
    /// text for each wildcard, and one with several segments for each `*`.
    var samples: [String] {
        let short = path.replacing("?*", with: "x").replacing("*", with: "x")
            .replacing("?", with: "x")
        let long = path.replacing("?*", with: "x/x/x").replacing("*", with: "x/x/x")
            .replacing("?", with: "x")
        return [short, long].map { $0.hasPrefix("/") ? $0 : "/\($0)" }.filter(matches)
    }
}
