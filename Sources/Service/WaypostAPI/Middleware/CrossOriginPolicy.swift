import HTTPCore

/// The origins of the web pages that may use the service from a browser (CORS: the section "CORS
/// protocol" of the Fetch standard). The policy never allows credentials such as cookies, because
/// the service does not use them.
package final class CrossOriginPolicy: ResponseMiddleware {
    private static let exposedHeaders = [
        "ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", RequestIDs.field,
        "Idempotency-Replayed", "Preference-Applied", "Content-Range", "Waypost-Revision",
    ].joined(separator: ", ")
    private static let requestHeaders = [
        "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range",
        "Last-Event-ID", "Prefer", "Range", "traceparent", RequestIDs.field,
    ].joined(separator: ", ")
    /// The time for which a browser may cache a preflight response, in seconds.
    private static let maximumAge = "600"

    private let origins: Set<String>

    /// Creates a policy.
    /// - Parameter origins: the allowed origins, exactly as browsers send them, such as
    ///   `https://app.example`. If the list is empty, no page may use the service.
    package init(origins: [String] = []) {
        self.origins = Set(origins)
    }

    /// Returns whether `text` is an origin in the form that browsers send: scheme, host and
    /// optional port, in lower case.
    package static func isOrigin(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/([a-z0-9.\-_]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/)
            != nil
    }

    /// Checks whether a web page of another origin has sent a request that may change something. A
    /// browser lets any page send simple requests, such as a POST without a body, although the page
    /// cannot read the response (Fetch standard, "HTTP-network-or-cache fetch"; Fetch Metadata
    /// Request Headers).
    /// - Throws: `.originNotAllowed` unless the request comes from no page, from a page of the
    ///   service itself, or from a page of an allowed origin.
    package func before(_ context: Context) throws(Problem) {
        let method = context.request.method
        if method == .get || method == .head || method == .options { return }
        guard context.route != nil else { return }
        let headers = context.request.headers
        let origin = headers["Origin"]
        if let origin, origins.contains(origin) { return }
        switch headers["Sec-Fetch-Site"] {
        case "same-origin", "none": return
        case "same-site", "cross-site": break
        default:
            // Old browsers, and pages without TLS, do not send the field. A page of another origin
            // cannot send `Authorization` without a preflight, which this policy refuses.
            guard let origin, headers["Authorization"] == nil, !isOwn(origin, headers) else {
                return
            }
        }
        let shown = origin.flatMap { Self.isOrigin($0) ? $0 : nil } ?? "ORIGIN"
        throw Problem(
            .originNotAllowed,
            "a web page of another origin sent this request; the operator can allow the origin of a "
                + "page on a web server with --cors-origin \(shown)")
    }

    /// Returns whether an origin is that of the service, as the client or its proxy names the
    /// service. Both fields can be trusted here: a page of another origin can set neither of them
    /// without a preflight.
    private func isOwn(_ origin: String, _ headers: HeaderFields) -> Bool {
        guard let host = origin.split(separator: "/", maxSplits: 2).last, origin.contains("://")
        else { return false }
        return ["Host", "X-Forwarded-Host"].contains { name in
            headers[name]?.lowercased() == host.lowercased()
        }
    }

    package func after(_ context: Context, _ response: inout Response) {
        apply(to: &response, context.request.method, context.request.headers)
    }

    /// Adds the CORS fields to a response if the request comes from a page with an allowed origin.
    /// Adds `Vary` to every response if at least one origin is allowed.
    /// - Parameters:
    ///   - method: the method of the request; nil if the server itself rejects the request.
    ///   - headers: the header fields of the request.
    func apply(to response: inout Response, _ method: Method?, _ headers: HeaderFields) {
        guard !origins.isEmpty else { return }
        // The response depends on the origin; caches must not share it between pages.
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
