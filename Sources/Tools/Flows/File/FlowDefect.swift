/// A line and column in a file of flows (scripted tests) or in a trace (the recording of a real
/// app).
public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path with which the file was opened.
    public let file: String
    /// The line number. The first line is 1.
    public let line: Int
    /// The column number, in Unicode scalars. The first column is 1.
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    public var description: String { "\(file):\(line):\(column)" }
}

/// A mistake that makes a file of flows (scripted tests) or a trace (the recording of a real app)
/// unusable.
public struct FlowDefect: Error, Sendable, Equatable, CustomStringConvertible {
    public let place: Place
    /// A description of the mistake, and how to correct it.
    public let reason: String

    public init(_ place: Place, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    public var description: String { "\(place): \(reason)" }
}

/// An error with all mistakes in the files that a `FlowReader` or a `TraceReader` has read.
public struct FlowDefects: Error, Sendable {
    public let defects: [FlowDefect]
}
