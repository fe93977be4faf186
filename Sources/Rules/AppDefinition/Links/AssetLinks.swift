import Foundation

/// The association of a website with an Android app: the file `assetlinks.json`.
public struct AssetLinks: Sendable {
    private static let relation = "delegate_permission/common.handle_all_urls"

    /// The rules for the links that the app opens; nil if it opens all links of the website.
    public let components: [URLComponentPattern]?

    /// Reads the statement about an app.
    /// - Parameter package: the name of the app's package, such as `com.example.app`.
    /// - Throws: `LinkFileError` if the file is not in Google's format, or if it does not let the
    ///   app open links.
    public init(_ data: Data, package: String) throws(LinkFileError) {
        guard let statements = try LinkFileError.parsed(data) as? [[String: Any]]
        else { throw LinkFileError("expected a list of statements") }
        let statement = statements.first { statement in
            let target = statement["target"] as? [String: Any]
            return (statement["relation"] as? [String])?.contains(Self.relation) == true
                && target?["namespace"] as? String == "android_app"
                && target?["package_name"] as? String == package
        }
        guard let statement else {
            throw LinkFileError(
                "no statement has the relation \(Self.relation), the namespace android_app and "
                    + "the package \(package)")
        }
        let target = statement["target"] as? [String: Any]
        let fingerprints = target?["sha256_cert_fingerprints"] as? [String] ?? []
        guard fingerprints.contains(where: Self.isFingerprint) else {
            throw LinkFileError(
                "the statement about \(package) has no SHA-256 fingerprint: expected 32 bytes, "
                    + "such as 14:6D:…, in sha256_cert_fingerprints")
        }
        let extensions = statement["relation_extensions"] as? [String: Any]
        let own = extensions?[Self.relation] as? [String: Any]
        guard let member = own?["dynamic_app_link_components"] else {
            components = nil
            return
        }
        guard let rules = member as? [Any] else {
            throw LinkFileError("dynamic_app_link_components: expected a list of components")
        }
        components = try rules.enumerated().map { index, rule throws(LinkFileError) in
            try URLComponentPattern(rule, number: index + 1)
        }
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
