import JSON
import Testing
import WaypostTesting

/// Tests of links that attack the service or the app.
@Suite(.timeLimit(.minutes(10))) struct HostileLinkTests {
    private static let paths = [
        "/authors/" + String(repeating: "x", count: 65_536),
        "/authors?sort=" + String(repeating: "x", count: 65_536),
        String(repeating: "/a", count: 32_768), String(repeating: "/..", count: 20_000),
        String(repeating: "/a", count: 2000), String(repeating: "a/../", count: 800) + "b",
        "/authors/%", "/authors/%4", "/authors/%zz", "/authors/%%34", "/authors/%ff",
        "/authors/%c3", "/authors/%c0%ae%c0%ae", "/authors/%ed%a0%80", "/authors/%f5%80%80%80",
        "/authors?x=%", "/authors?%zz=1", "/authors/%00", "/authors/jane-austen%00.html",
        "/authors?x=%00", "/authors/\\u0000", "/authors/../..%2f..%2fetc%2fpasswd",
        "/authors/%2e%2e/%2e%2e/etc/passwd", "/authors/%252e%252e", "/authors/jane-austen%2Fbooks",
        "/authors/jane%2Dausten/%62ooks/%ff", "/AUTHORS", "/authors;x=1",
        "/authors\\\\..\\\\titles",
    ]
    private static let urls = [
        "https://other.example/authors", "https://library.example.other.example/authors",
        "https://other.example#library.example/authors", "https://other.example?library.example",
        "https://library.example@other.example/authors",
        "https://other.example\\\\@library.example/authors",
        "https://user:password@library.example/authors", "https://library.example:8443/authors",
        "https://library.example%2F.other.example/authors",
        "https://library.example\\u0000/authors",
        "https:authors", "https:/library.example/authors", "https:///authors",
        "http://[::1]/authors",
        "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x",
        "//library.example/authors",
        "/authors", "", "://authors", "library", "https://library.example/nobody",
        "library://nobody", "library:%00", "https://" + String(repeating: "a.", count: 32_768),
    ]

    @Test("A hostile link is refused with 400 or 404 and changes nothing")
    func refused() async throws {
        let service = try TestService()
        let client = try await Client(service.api)
        for isLoggedIn in [false, true] {
            if isLoggedIn {
                _ = try await client.send(
                    "POST", "sign-up", #"{"username": "ada", "password": "a long password"}"#)
            }
            let before = try await client.send("GET", "").bytes
            let bodies =
                Self.paths.map { #"{"path": "\#($0)"}"# } + Self.urls.map { #"{"url": "\#($0)"}"# }
            for body in bodies {
                let reply = try await client.send("POST", "open", body)
                #expect([400, 404].contains(reply.status), "\(reply.status) \(body.prefix(80))")
            }
            #expect(try await client.send("GET", "").bytes == before)
        }
    }

    @Test("A hostile link opens no session")
    func noSession() async throws {
        let api = try TestService().api
        for link in Self.paths + Self.urls.filter({ $0 != "/authors" }) {
            let body = #"{"open": "\#(link)"}"#
            let reply = try await api.send("POST", "/v1/sessions", body)
            #expect([400, 404].contains(reply.status), "\(reply.status) \(body.prefix(80))")
        }
    }
}
