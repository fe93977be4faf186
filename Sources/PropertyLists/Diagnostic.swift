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

    /// The place in a JSON file; nil in other files.
    public let position: TextPosition?

    public init(file: String, keyPath: String, reason: String, position: TextPosition? = nil) {
        self.file = file
        self.keyPath = keyPath
        self.reason = reason
        self.position = position
    }

    /// For example `Books.plist: [3].Books[1].Title: expected a string, found an integer`, or
    /// `App.json:12:20: scenes.home.kind: ...`.
    public var description: String {
        let place = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return keyPath.isEmpty ? "\(place): \(reason)" : "\(place): \(keyPath): \(reason)"
    }
}

/// Collects the findings of all readers of one file, in order.
final class Diagnostics {
    private let file: String
    private(set) var defects: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []
    private let positions: () -> JSONPositions?
    private lazy var places = positions()

    /// - Parameter positions: finds the positions in a JSON file; called when the first finding is
    ///   added.
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
