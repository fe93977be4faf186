import HTTPCore
import JSON

extension Response {
    /// Creates an `application/problem+json` response (RFC 9457). The member `code` of its body
    /// identifies the kind of problem.
    /// - Parameter requestID: the value of `X-Request-ID`, which becomes the member `requestId`;
    ///   nil for a request without an id.
    init(_ problem: Problem, requestID: String? = nil) {
        var json = JSONWriter(capacity: 512)
        json.object { json in
            json.member("type", "/problems/\(problem.code)")
            json.member("title", problem.title)
            json.member("status", problem.status.code)
            json.member("detail", problem.detail)
            json.member("code", problem.code)
            if let requestID { json.member("requestId", requestID) }
            if !problem.callbacks.isEmpty { json.member("callbacks", problem.callbacks) }
            guard !problem.members.isEmpty else { return }
            json.objects("errors", problem.members) { json, member in
                json.member("pointer", member.pointer)
                json.member("detail", member.detail)
            }
        }
        var headers = problem.headers
        headers.append("Content-Type", "application/problem+json")
        headers.append("Cache-Control", "no-store")
        self.init(problem.status, headers: headers, body: .bytes(json.bytes))
        self.problem = problem
    }
}
