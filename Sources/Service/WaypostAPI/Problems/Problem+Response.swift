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
            json.member("title", Problem.title(of: problem.code))
            json.member("status", problem.status.code)
            json.member("detail", problem.detail)
            json.member("code", problem.code)
            if let requestID { json.member("requestId", requestID) }
            if !problem.callbacks.isEmpty { json.member("callbacks", problem.callbacks) }
            if let after = problem.after { json.member("after", after) }
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

extension Problem {
    /// Returns the title of the problems with a code. For most codes it is the code with spaces in
    /// place of hyphens and a capital first letter.
    static func title(of code: String) -> String {
        switch code {
        case "uri-too-long": return "URI too long"
        case "malformed-json": return "Malformed JSON"
        case "login-required": return "Log-in required"
        case "sign-up-closed": return "Sign-up closed"
        case "already-on-stack": return "Already on the stack"
        case "not-on-stack": return "Not on the stack"
        case "not-on-screen": return "Not on screen"
        default:
            let words = code.replacing("-", with: " ")
            return words.prefix(1).uppercased() + words.dropFirst()
        }
    }
}
