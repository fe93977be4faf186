import Foundation
import Sockets
import TestSupport
import Testing

@Suite("Sockets in the file system", .timeLimit(.minutes(10)))
struct SocketFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("socket") }

    init() throws { folder = try TemporaryFolder() }

    /// Expects that the socket is refused for this reason.
    private func expectRefusal(_ error: ListenError) {
        #expect(throws: error) { _ = try Listener.listen(path: path) }
    }

    private func isSocket() -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    @Test("Only the owner may use a socket file, which is removed with its listener")
    func lifetime() throws {
        let listener = try Listener.listen(path: path)
        #expect(listener.port == 0)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        _ = consume listener
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("An empty path, which would make a socket for all users, is refused by both sides")
    func emptyPath() {
        #expect(throws: ListenError.system("cannot listen on ", EINVAL)) {
            _ = try Listener.listen(path: "")
        }
        #expect(throws: ConnectError.self) { _ = try PlainHTTP(path: "") }
    }

    @Test("A regular file at the path of a socket is kept, and the error names the path")
    func file() throws {
        _ = try folder.write("precious", to: "socket")
        expectRefusal(.notASocket(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        #expect(ListenError.notASocket(path).description.contains(path))
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
        expectRefusal(.notASocket(path))
        var after = stat()
        #expect(lstat(path, &after) == 0)
        #expect(before.st_ino == after.st_ino)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test("A socket that has another listener is refused and stays that listener's")
    func used() throws {
        let first = try Listener.listen(path: path)
        for _ in 0..<2 { expectRefusal(.socketInUse(path)) }
        #expect(isSocket())
        _ = consume first
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
        let listener = try Listener.listen(path: path)
        expectRefusal(.socketInUse(path))
        _ = consume listener
        #expect(!isSocket())
    }

    @Test("The end of a listener leaves another one that has taken its path since")
    func replaced() throws {
        let first = try Listener.listen(path: path)
        #expect(unlink(path) == 0)
        let second = try Listener.listen(path: path)
        _ = consume first
        #expect(isSocket())
        expectRefusal(.socketInUse(path))
        _ = consume second
        #expect(!isSocket())
    }

    @Test("The end of a listener leaves a file that has taken its path since")
    func replacedByFile() throws {
        let listener = try Listener.listen(path: path)
        #expect(unlink(path) == 0)
        _ = try folder.write("precious", to: "socket")
        _ = consume listener
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test("A path that is too long for a socket is an error that names it")
    func tooLong() throws {
        let path = folder.file(String(repeating: "a", count: 200))
        let error = ListenError.system("cannot listen on \(path)", ENAMETOOLONG)
        #expect(throws: error) { _ = try Listener.listen(path: path) }
        #expect(error.description.hasPrefix("cannot listen on \(path): "))
        #expect(error.description.hasSuffix("choose a shorter one with --admin-socket"))
    }
}
