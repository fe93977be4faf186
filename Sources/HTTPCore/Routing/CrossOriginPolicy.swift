/// The web pages that may use the service from a browser (CORS: the Fetch standard, section 3.2), by
/// their origin. Without cookies and the like, which the service does not know anyway.
public struct CrossOriginPolicy: Sendable {
    private static let exposedHeaders = [
        "ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", RequestIDs.field,
        "Idempotency-Replayed", "Preference-Applied", "Content-Range",
    ].joined(separator: ", ")
    private static let requestHeaders = [
        "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range",
        "Prefer", "Range", "traceparent", RequestIDs.field,
    ].joined(separator: ", ")
    /// For how many seconds a browser may keep what a preflight said.
    private static let maximumAge = "600"

    private let origins: Set<String>

    /// - Parameter origins: exactly as browsers send them, such as `https://app.example`. None:
    ///   no page may.
    public init(origins: [String] = []) {
        self.origins = Set(origins)
    }

    /// Whether a browser could send this as an origin: scheme, host and perhaps port, in lower case.
    public static func isOrigin(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/([a-z0-9.\-_]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/)
            != nil
    }

    /// Lets the page of the request, if it is one of these, read the answer.
    public func apply(to response: inout Response, _ method: Method?, _ headers: HeaderFields) {
        guard !origins.isEmpty else { return }
        // The answer to another page is another one: caches must not mix them up.
        response.headers.append("Vary", "Origin")
        guard let origin = headers["Origin"], origins.contains(origin) else { return }
        response.headers.append("Access-Control-Allow-Origin", origin)
        guard method == .options, headers["Access-Control-Request-Method"] != nil,
            let allow = response.headers["Allow"]
        else {
            response.headers.append("Access-Control-Expose-Headers", Self.exposedHeaders)
            return
        }
        response.headers.append("Access-Control-Allow-Methods", allow)
        response.headers.append("Access-Control-Allow-Headers", Self.requestHeaders)
        response.headers.append("Access-Control-Max-Age", Self.maximumAge)
    }
}
