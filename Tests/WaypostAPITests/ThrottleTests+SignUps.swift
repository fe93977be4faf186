import TestSupport
import Testing
import WaypostTesting

extension ThrottleTests {
    @Test("A sign-up that the session or the service does not allow does not count")
    func impossibleSignUps() async throws {
        let body = #"{"username": "ada", "password": "a long password"}"#
        func signUp(_ client: Client, ifMatch tag: String? = nil) async throws -> String? {
            let reply = try await client.send(
                "POST", "sign-up", body, headers: tag.map { ["If-Match": $0] } ?? [:],
                from: "192.0.2.1")
            return reply.code ?? reply.json["session"]?["auth"]?["username"]?.text
        }
        let closed = try TestService(isSignUpOpen: false, signUpQuota: 1)
        let refused = try await Client(closed.api)
        for _ in 0..<3 { #expect(try await signUp(refused) == "sign-up-closed") }

        let service = try TestService(signUpQuota: 1)
        let client = try await Client(service.api)
        for _ in 0..<3 {
            #expect(try await signUp(client, ifMatch: #""7""#) == "precondition-failed")
        }
        #expect(try await signUp(client) == "ada")
        // The quota is used up, but a user who is logged in cannot sign up anyway.
        #expect(try await signUp(client) == "already-logged-in")
        #expect(try await signUp(Client(service.api)) == "too-many-requests")
    }
}
