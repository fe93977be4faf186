import Foundation
import Synchronization

/// A folder that lives as long as its owner, or as the process if that ends first.
public final class TemporaryFolder: Sendable {
    public let url = FileManager.default.temporaryDirectory
        .appending(path: "waypost-tests-\(UUID().uuidString)")
    public var path: String { url.path }

    private static let existing = Mutex<Set<URL>>([])

    /// Static variables are never released: their folders go when the process ends.
    private static let removal: Void = {
        atexit {
            for url in TemporaryFolder.existing.withLock({ $0 }) {
                try? FileManager.default.removeItem(at: url)
            }
        }
    }()

    public init() throws {
        _ = Self.removal
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let url = url
        Self.existing.withLock { _ = $0.insert(url) }
    }

    deinit {
        let url = url
        Self.existing.withLock { _ = $0.remove(url) }
        try? FileManager.default.removeItem(at: url)
    }

    /// - Returns: the path of the file called `name`.
    public func file(_ name: String) -> String { url.appending(path: name).path }

    @discardableResult
    public func write(_ content: Data = Data(), to name: String) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
        return file.path
    }

    @discardableResult
    public func write(_ content: String, to name: String) throws -> String {
        try write(Data(content.utf8), to: name)
    }

    public func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: file(name), withDestinationPath: destination)
    }
}
