import HTTPCore

/// The paths of the catalog, as the service hands them out.
enum CatalogPath {
    /// - Parameter components: below the catalog, not escaped.
    static func url(_ components: [String]) -> String {
        components.reduce(into: "/v1/catalog") { $0 += "/" + percentEncoded(segment: $1) }
    }
}
