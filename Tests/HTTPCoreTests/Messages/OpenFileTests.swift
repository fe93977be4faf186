import Foundation
import Testing

@testable import HTTPCore

@Suite("Open files")
final class OpenFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("HTTPCoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func write(_ content: String, to name: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(content.utf8).write(to: file)
        return file.path
    }

    @Test("A file's size is in bytes", arguments: [("", 0), ("é", 2), ("twelve bytes", 12)])
    func size(content: String, expected: Int) throws {
        let file = try #require(try OpenFile(path: write(content, to: "file")))
        #expect(file.size == expected)
    }

    @Test("The modification is to the nanosecond")
    func modified() throws {
        let path = try write("x", to: "file")
        let time = timespec(tv_sec: 1_234_567_890, tv_nsec: 123_456_789)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try #require(try OpenFile(path: path)).modified == 1_234_567_890_123_456_789)
    }

    @Test("Size and modification are those of the opening")
    func snapshot() throws {
        let path = try write("one", to: "file")
        let file = try #require(try OpenFile(path: path))
        _ = try write("three", to: "file")
        #expect(file.size == 3)
        #expect(try #require(try OpenFile(path: path)).size == 5)
    }

    @Test("A link is followed to its file")
    func link() throws {
        _ = try write("linked", to: "file")
        let link = folder.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
        #expect(try OpenFile(path: link)?.size == 6)
    }

    @Test("A folder, a missing file, a dangling link and a device are no files")
    func noFile() throws {
        let link = folder.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
        for path in [folder.path, folder.path + "/missing", link, "/dev/null", ""] {
            #expect(try OpenFile(path: path) == nil, "\(path)")
        }
    }

    @Test("The descriptor is closed with the file, and not inherited by other programs")
    func descriptor() throws {
        let path = try write("x", to: "file")
        var file: OpenFile? = try OpenFile(path: path)
        let descriptor = try #require(file?.descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(Self.target(of: descriptor) == path)
        file = nil
        // The number may be in use again, by a test that runs beside this one.
        #expect(Self.target(of: descriptor) != path)
    }

    private static func target(of descriptor: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
}
