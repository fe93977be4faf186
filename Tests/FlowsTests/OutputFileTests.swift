import Foundation
import TestSupport
import Testing

@testable import Flows

@Suite struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.file(name), encoding: .utf8)
    }

    private func isLink(_ name: String) throws -> Bool {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.type]
            as? FileAttributeType == .typeSymbolicLink
    }

    @Test("A link stays, and the file to which it leads is written, also one that is new")
    func links() throws {
        try folder.write("old", to: "a.txt")
        try folder.link("link", to: "a.txt")
        try folder.link("new", to: "b.txt")
        for name in ["link", "new"] { try OutputFile.write("text", to: folder.file(name)) }
        #expect(try isLink("link") && isLink("new"))
        #expect(try text("a.txt") == "text" && text("b.txt") == "text")
    }

    @Test("A file is removed, and a link to it and a FIFO stay") func removal() throws {
        try folder.write("old", to: "a.txt")
        try folder.link("link", to: "a.txt")
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        for name in ["link", "fifo", "none"] { OutputFile.remove(folder.file(name)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["fifo", "link"])
    }

    @Test("A file keeps its mode and its owner, and no other file stays beside it")
    func mode() throws {
        let file = try folder.write("old", to: "a.txt")
        let owner: UInt32 = geteuid() == 0 ? 12345 : geteuid()
        #expect(chown(file, owner, getegid()) == 0 && chmod(file, 0o640) == 0)
        try OutputFile.write("text", to: file)
        var status = stat()
        #expect(stat(file, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o640 && status.st_uid == owner)
        #expect(try text("a.txt") == "text")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.txt"])
    }

    @Test("A text goes into a FIFO, which stays") func fifo() throws {
        let fifo = folder.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        // Open for both directions, so that neither end waits for the other one.
        let reader = open(fifo, O_RDWR)
        defer { close(reader) }
        try OutputFile.write("text", to: fifo)
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &bytes, 16) == 4)
        #expect(bytes.starts(with: "text".utf8))
        var status = stat()
        #expect(stat(fifo, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    /// Runs work on a thread that may wait.
    private static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }

    /// Returns whether a pipe has no room for another byte.
    private static func isFull(_ pipe: Pipe) -> Bool {
        var state = pollfd(
            fd: pipe.fileHandleForWriting.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) == 0
    }

    @Test(
        "A reader that is slower than the writer of its pipe gets all bytes",
        .timeLimit(.minutes(1)))
    func slowReader() async throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0) }
        async let failure = Self.onThread { OutputFile.write(bytes, to: writing) }
        await until { Self.isFull(pipe) }
        async let read = Self.onThread { pipe.fileHandleForReading.readDataToEndOfFile() }
        #expect(await failure == nil)
        try pipe.fileHandleForWriting.close()
        #expect(await read == Data(bytes))
    }

    @Test(
        "A file that cannot be written is refused with the reason of the system, also before a run",
        arguments: [
            ("none/a.txt", "No such file or directory"), ("a.txt/b.txt", "Not a directory"),
            ("folder", "Is a directory"),
        ])
    func failures(name: String, reason: String) throws {
        try folder.write("old", to: "a.txt")
        try folder.write("old", to: "folder/b.txt")
        let path = folder.file(name)
        for act in [{ try OutputFile.write("text", to: path) }, { try OutputFile.check(path) }] {
            let failure = #expect(throws: FileFailure.self, performing: act)
            #expect(failure?.description == "\(path): the file cannot be written: \(reason)")
        }
        try OutputFile.check(folder.file("a.txt"))
        try OutputFile.check(folder.file("new.txt"))
        #expect(try text("a.txt") == "old")
    }
}
