import JSON
import Sessions
import Testing
import WaypostCore
import WaypostTesting

/// Databases that earlier versions have written: this version migrates them, and gives the answers
/// that the earlier version gave.
@Suite(.timeLimit(.minutes(10))) struct StoredDatabaseTests {
    @Test(
        "A database of an earlier version has all answers after its migration, and goes on",
        arguments: ["library", "tabs"], StoredDatabase.Kind.available)
    func migration(name: String, kind: StoredDatabase.Kind) async throws {
        let database = try await StoredDatabase(name, in: kind)
        do {
            let service = try database.open()
            for request in database.requests {
                let reply = try await service.api.send(
                    request.method, request.path, request.body, token: request.token,
                    headers: request.key.map { ["Idempotency-Key": $0] } ?? [:])
                expect(reply, request)
            }
            await service.store.close()
        }
        #expect(try database.check().defects.isEmpty)
        // The answers are read from the database again, not from memory.
        let service = try database.open()
        try await expectPushes(in: service, name, database.requests)
        await service.store.close()
        #expect(try database.check().defects.isEmpty)
    }

    // A kill in the middle of a migration belongs here: start `Shell.waypost` on a copy, kill it
    // at its first write to the database, then compare all answers as above.

    private func expect(_ reply: Reply, _ request: StoredDatabase.Request) {
        let answer: [UInt8]
        if let code = reply.code { answer = Array(code.utf8) } else { answer = reply.bytes }
        let isExpected =
            reply.status == request.status
            && (answer == Array(request.answer.utf8)
                || isEqual(answer, request.answer, without: request.without + Self.added))
            && request.isReplayed == (reply.headers["Idempotency-Replayed"] == "true")
        // Earlier versions refused the flow of a session with a log-in that has ended. Now it begins
        // after the log-in.
        let hasBegunLater =
            request.path.hasSuffix("/flow") && request.answer == "credential-revoked"
            && reply.status == 200
        // In earlier versions, only the last operation of a batch could select a segment.
        let hasOtherSegments =
            request.path.hasSuffix("/flow") && request.status == reply.status
            && request.answer.contains("batch:")
            && Self.withoutSegments(answer) == Self.withoutSegments(request.answer.utf8)
        if isExpected || hasBegunLater || hasOtherSegments { return }
        Issue.record(
            """
            \(request.method) \(request.path) \(request.key ?? "")
            before: \(request.status) \(request.answer)
            now:    \(reply.status) \(String(decoding: answer, as: UTF8.self))
            """)
    }

    private static func withoutSegments(_ flow: some Collection<UInt8>) -> String {
        String(decoding: flow, as: UTF8.self).replacing(#/segment: \d+/#, with: "segment")
    }

    /// The members that the earlier versions did not have.
    private static let added = ["link", "flags", "pending"]

    private func isEqual(_ reply: [UInt8], _ answer: String, without names: [String]) -> Bool {
        func members(_ bytes: [UInt8]) -> [JSONObject.Member]? {
            guard case .object(let object)? = try? JSONValue(parsing: bytes, maximumDepth: 32)
            else { return nil }
            return object.members.filter { !names.contains($0.name) }
        }
        return members(reply) != nil && members(reply) == members(Array(answer.utf8))
    }

    /// Pushes a view controller in each session that can be read.
    private func expectPushes(
        in service: TestService, _ name: String, _ requests: [StoredDatabase.Request]
    ) async throws {
        let sessions = requests.filter {
            $0.status == 200 && $0.path.wholeMatch(of: #/\/v1\/sessions\/[0-9a-f]{32}/#) != nil
        }
        #expect(sessions.count > 20)
        for session in sessions {
            let shown = try await service.api.send("GET", session.path, token: session.token).json
            let isLoggedIn = shown["auth"]?["state"]?.text == "loggedIn"
            let changes: [(operation: String, body: String)] =
                switch (name, isLoggedIn, isStrict: shown["strict"] == .boolean(true)) {
                case ("library", _, true): [("open", #"{"path": "/titles"}"#)]
                case ("library", true, _): [("push", #"{"scene": "authors"}"#)]
                case ("library", false, _): [("push", #"{"scene": "signUp"}"#)]
                case (_, _, true): [("open", #"{"path": "/albums"}"#)]
                // The visible view controller may be in no navigation controller.
                case (_, true, _):
                    [
                        ("present", #"{"scene": "homeNavigation"}"#),
                        ("push", #"{"scene": "albums"}"#),
                    ]
                case (_, false, _):
                    [
                        ("present", #"{"scene": "helpNavigation"}"#),
                        ("push", #"{"scene": "help"}"#),
                    ]
                }
            var revision = try #require(shown["revision"]?.number)
            for (operation, body) in changes {
                let reply = try await service.api.send(
                    "POST", "\(session.path)/\(operation)", body, token: session.token)
                revision += 1
                #expect(reply.status == 200, "\(session.path): \(reply.body)")
                #expect(reply.json["session"]?["revision"]?.number == revision)
            }
        }
    }
}
