/// A defect of a file, or a warning about a file, at one place. A diagnostic itself does not say
/// which of the two it is: defects and warnings are kept in separate lists.
public struct Diagnostic: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the file, without the path of its folder; the path as it was given if the file
    /// cannot be read.
    public let file: String

    /// The keys and indices that lead from the top level to the value, such as
    /// `[3].Books[1].Title`; empty for the top level.
    public let keyPath: String

    /// A description of the problem, and of the solution unless the solution is obvious.
    public let reason: String

    /// The line and column of the value in a JSON file; nil in files of other formats.
    public let position: TextPosition?

    public init(file: String, keyPath: String, reason: String, position: TextPosition? = nil) {
        self.file = file
        self.keyPath = keyPath
        self.reason = reason
        self.position = position
    }

    /// The diagnostic on one line, for example `Books.plist: [3].Books[1].Title: expected a string,
    /// found an integer` or `App.json:12:20: scenes.home.kind: ...`.
    public var description: String {
        let place = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return keyPath.isEmpty ? "\(place): \(reason)" : "\(place): \(keyPath): \(reason)"
    }
}

/// Collects the defects and warnings that all readers of one file report, in order.
final class Diagnostics {
    private let file: String
    private(set) var defects: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []
    private let positions: () -> JSONPositions?
    private lazy var places = positions()

    /// Creates an empty collection for a file.
    /// - Parameter positions: returns the positions of the values if the file is JSON, and nil
    ///   otherwise. It is called when the first defect or warning is added.
    init(file: String, positions: @escaping () -> JSONPositions? = { nil }) {
        self.file = file
        self.positions = positions
    }

    private func diagnostic(_ reason: String, at keyPath: String) -> Diagnostic {
        Diagnostic(
            file: file, keyPath: keyPath, reason: reason,
            position: places?.position(of: keyPath))
    }

    func addDefect(_ reason: String, at keyPath: String) {
        defects.append(diagnostic(reason, at: keyPath))
    }

    func addWarning(_ reason: String, at keyPath: String) {
        warnings.append(diagnostic(reason, at: keyPath))
    }
}
