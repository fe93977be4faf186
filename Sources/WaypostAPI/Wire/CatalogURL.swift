import HTTPCore

/// The paths of the data, as the service hands them out.
enum CatalogURL {
    /// - Parameter components: not escaped.
    static func url(_ components: [String]) -> String {
        components.reduce(into: "/v1") { $0 += "/" + percentEncoded(segment: $1) }
    }
}
