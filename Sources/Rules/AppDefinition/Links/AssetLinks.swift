import JSON

/// The association of a website with an Android app: the file `assetlinks.json`.
public struct AssetLinks: Sendable {
    private static let relation = "delegate_permission/common.handle_all_urls"

    /// The rules for the links that the app opens; nil if it opens all links of the website.
    public let components: [URLComponentPattern]?

    /// Reads the statement about an app.
    /// - Parameter package: the name of the app's package, such as `com.example.app`.
    /// - Throws: `LinkFileError` if the file is not in Google's format, or if it does not let the
    ///   app open links.
    public init(_ file: JSONValue, package: String) throws(LinkFileError) {
        guard let statements = file.all(\.object)
        else { throw LinkFileError("expected a list of statements") }
        let about = statements.filter { statement in
            let target = statement["target"]
            return statement["relation"]?.texts?.contains(Self.relation) == true
                && target?["namespace"]?.text == "android_app"
                && target?["package_name"]?.text == package
        }
        guard !about.isEmpty else {
            throw LinkFileError(
                "no statement has the relation \(Self.relation), the namespace android_app and "
                    + "the package \(package)")
        }
        guard let statement = about.first(where: Self.hasFingerprint) else {
            throw LinkFileError(
                "the statement about \(package) has no SHA-256 fingerprint: expected 32 bytes, "
                    + "such as 14:6D:…, in sha256_cert_fingerprints")
        }
        let extensions = statement["relation_extensions"]?[Self.relation]
        guard let member = extensions?["dynamic_app_link_components"] else {
            components = nil
            return
        }
        guard let rules = member.elements else {
            throw LinkFileError("dynamic_app_link_components: expected a list of components")
        }
        components = try rules.enumerated().map { index, rule throws(LinkFileError) in
            try URLComponentPattern(rule, number: index + 1)
        }
    }

    private static func hasFingerprint(_ statement: JSONObject) -> Bool {
        statement["target"]?["sha256_cert_fingerprints"]?.texts?.contains(where: isFingerprint)
            == true
    }

    private static func isFingerprint(_ text: String) -> Bool {
        let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
        return bytes.count == 32
            && bytes.allSatisfy { $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }

    /// Returns what the system does with a link.
    /// - Parameter link: a path with percent-encoding and, if it has one, a query.
    public func verdict(of link: String) -> SiteAssociation.Verdict {
        components?.verdict(of: link) ?? .opensApp
    }
}
