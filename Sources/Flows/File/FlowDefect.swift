/// A place in a flow file.
public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, as it was given.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column in Unicode scalars, from 1.
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    public var description: String { "\(file):\(line):\(column)" }
}

/// The reason why a flow file cannot be used.
public struct FlowDefect: Error, Sendable, Equatable, CustomStringConvertible {
    public let place: Place
    /// The defect and how to correct it.
    public let reason: String

    public init(_ place: Place, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    public var description: String { "\(place): \(reason)" }
}

/// All defects of the flow files that were read.
public struct FlowDefects: Error, Sendable {
    public let defects: [FlowDefect]
}
