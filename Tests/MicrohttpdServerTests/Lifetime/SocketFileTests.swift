import Foundation
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Sockets in the file system", .timeLimit(.minutes(10)))
struct SocketFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("socket") }

    init() throws { folder = try TemporaryFolder() }

    private func start() throws(ServerError) -> Server {
        var configuration = Server.Configuration()
        configuration.path = path
        return try Server(configuration, handler: TestHandler { _ in .text("here") })
    }

    private func isSocket() -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    @Test("Only the owner may use a socket file, which the server removes when it stops")
    func lifetime() throws {
        let server = try start()
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        server.stop(grace: 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A regular file at the path of a socket is kept, and the error names the path")
    func file() throws {
        _ = try folder.write("precious", to: "socket")
        #expect(throws: ServerError.notASocket(path)) { try start() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        #expect(ServerError.notASocket(path).description.contains(path))
    }

    @Test(
        "A link, folder or FIFO at the path of a socket is kept, and the start fails",
        arguments: ["link", "folder", "pipe"])
    func others(kind: String) throws {
        let target = try folder.write("precious", to: "target")
        switch kind {
        case "link": #expect(symlink(target, path) == 0)
        case "folder": #expect(mkdir(path, 0o700) == 0)
        default: #expect(mkfifo(path, 0o600) == 0)
        }
        var before = stat()
        #expect(lstat(path, &before) == 0)
        #expect(throws: ServerError.notASocket(path)) { try start() }
        var after = stat()
        #expect(lstat(path, &after) == 0)
        #expect(before.st_ino == after.st_ino)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test("A socket on which another server listens is refused and stays that server's")
    func used() throws {
        let first = try start()
        defer { first.stop(grace: 0) }
        for _ in 0..<2 { #expect(throws: ServerError.socketInUse(path)) { try start() } }
        #expect(isSocket())
    }

    @Test("A socket on which no server listens any more is replaced")
    func dead() throws {
        // A killed process leaves its socket in this state: bound, then closed without removal.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: address) { bytes in
            bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        #expect(status == 0)
        close(descriptor)
        #expect(isSocket())
        let server = try start()
        server.stop(grace: 0)
    }

    @Test("A stopping server does not remove another file at its socket's path")
    func replaced() throws {
        let first = try start()
        #expect(unlink(path) == 0)
        let second = try start()
        first.stop(grace: 0)
        #expect(isSocket())
        #expect(throws: ServerError.socketInUse(path)) { try start() }
        second.stop(grace: 0)
        #expect(!isSocket())
    }
}
