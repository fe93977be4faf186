import Synchronization
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// Tests of the store routes of the admin socket. The tests of the executable cover its commands.
@Suite(.timeLimit(.minutes(10))) struct BackupAdminTests {
    /// Posts to `/store/backup`.
    /// - Returns: the response, and the paths of the backups that the store was asked for.
    private func backUp(_ body: String) async throws -> (reply: Reply, paths: [String]) {
        let paths = Mutex<[String]>([])
        let maintenance = AdminAPI.Maintenance(
            backup: { path in paths.withLock { $0.append(path) } },
            check: { ("", "", []) })
        let service = try TestService()
        let admin = AdminAPI(
            maintenance, accounts: service.accounts, sessions: service.directory)
        let reply = try await admin.post("/store/backup", body)
        return (reply, paths.withLock { $0 })
    }

    @Test("A backup is written to the path in the request, and the response has the path")
    func path() async throws {
        let (reply, paths) = try await backUp(#"{"path": "/backups/a b"}"#)
        #expect(reply.status == 200)
        #expect(reply.json["path"]?.text == "/backups/a b")
        #expect(paths == ["/backups/a b"])
    }

    @Test(
        "A backup to a path with a NUL byte is refused, and nothing is written",
        arguments: [#"\u0000"#, #"\u0000/backups/a"#, #"/backups/a\u0000b"#, #"/backups/a\u0000"#])
    func nul(_ path: String) async throws {
        let (reply, paths) = try await backUp("{\"path\": \"\(path)\"}")
        #expect(reply.status == 422)
        #expect(reply.code == "invalid-body")
        let errors = try #require(reply.json["errors"]?.elements)
        #expect(errors.map { $0["pointer"]?.text } == ["/path"])
        #expect(
            errors.map { $0["detail"]?.text } == ["holds a NUL byte; name a file without one"])
        #expect(paths.isEmpty)
    }
}
