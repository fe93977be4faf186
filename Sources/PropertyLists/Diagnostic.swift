/// Something that is wrong, or remarkable, at one place of a file.
///
/// Whether it stops the start is not its own affair: it is a defect or a warning by the list that
/// it is in.
public struct Diagnostic: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file's name, without its folders.
    public let file: String

    /// From the top level to the place, as in `[3].Books[1].Title`; empty for the top level.
    public let keyPath: String

    /// Says what is wrong, and how to mend it where that is not plain.
    public let reason: String

    public init(file: String, keyPath: String, reason: String) {
        self.file = file
        self.keyPath = keyPath
        self.reason = reason
    }

    /// For example `Books.plist: [3].Books[1].Title: expected a string, found an integer`.
    public var description: String {
        keyPath.isEmpty ? "\(file): \(reason)" : "\(file): \(keyPath): \(reason)"
    }
}

/// Collects what all readers of one file find, in the order in which they find it.
final class Diagnostics {
    private let file: String
    private(set) var defects: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    func addDefect(_ reason: String, at keyPath: String) {
        defects.append(Diagnostic(file: file, keyPath: keyPath, reason: reason))
    }

    func addWarning(_ reason: String, at keyPath: String) {
        warnings.append(Diagnostic(file: file, keyPath: keyPath, reason: reason))
    }
}
