/// A finding at one place of a file. The list that contains a finding, not the finding itself, says
/// whether it is a defect or a warning.
public struct Diagnostic: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the file, without its folders.
    public let file: String

    /// The path from the top level to the place, such as `[3].Books[1].Title`; empty for the top
    /// level.
    public let keyPath: String

    /// A description of the problem, and of its solution unless that is obvious.
    public let reason: String

    public init(file: String, keyPath: String, reason: String) {
        self.file = file
        self.keyPath = keyPath
        self.reason = reason
    }

    /// The finding on one line: `Books.plist: [3].Books[1].Title: expected a string, found an
    /// integer`.
    public var description: String {
        keyPath.isEmpty ? "\(file): \(reason)" : "\(file): \(keyPath): \(reason)"
    }
}

/// Collects the findings of all readers of one file, in order.
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
