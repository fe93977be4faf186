import Foundation
import TestSupport
import Testing

@testable import HTTPCore

@Suite("Open files")
struct OpenFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "The size of an open file is in bytes",
        arguments: [("", 0), ("é", 2), ("twelve bytes", 12)])
    func size(content: String, expected: Int) throws {
        let file = try #require(try OpenFile(path: folder.write(content, to: "file")))
        #expect(file.size == expected)
    }

    @Test("The modification time of an open file has nanoseconds")
    func modified() throws {
        let path = try folder.write("x", to: "file")
        let time = timespec(tv_sec: 1_234_567_890, tv_nsec: 123_456_789)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try #require(try OpenFile(path: path)).modified == 1_234_567_890_123_456_789)
    }

    @Test("An open file keeps the size and modification time from the moment of its opening")
    func snapshot() throws {
        let path = try folder.write("one", to: "file")
        let file = try #require(try OpenFile(path: path))
        _ = try folder.write("three", to: "file")
        #expect(file.size == 3)
        #expect(try #require(try OpenFile(path: path)).size == 5)
    }

    @Test(
        "A folder, missing file, link, FIFO or device is not opened, and opening never blocks"
    )
    func noFile() throws {
        let path = try folder.write("linked", to: "file")
        let (link, dangling) = (folder.file("link"), folder.file("dangling"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "nowhere")
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [
            folder.path, folder.path + "/missing", link, dangling, pipe, "/dev/null", "",
        ] {
            #expect(try OpenFile(path: path) == nil, "\(path)")
        }
    }

    @Test("The descriptor of an open file is closed with it and not inherited by other programs")
    func descriptor() throws {
        let path = try folder.write("x", to: "file")
        var file: OpenFile? = try OpenFile(path: path)
        let descriptor = try #require(file?.descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(Self.target(of: descriptor) == path)
        file = nil
        // A test that runs in parallel may have opened another file with the same descriptor.
        #expect(Self.target(of: descriptor) != path)
    }

    private static func target(of descriptor: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
}
