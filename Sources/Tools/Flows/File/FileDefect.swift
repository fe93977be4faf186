/// A line and column in a file that the user has named, such as a file of flows (scripted tests).
package struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path with which the file was opened.
    package let file: String
    /// The line number. The first line is 1.
    package let line: Int
    /// The column number, in Unicode scalars. The first column is 1.
    package let column: Int

    package var description: String { "\(file):\(line):\(column)" }
}

/// A mistake in a file that the user has named, such as a file of flows (scripted tests), a trace
/// (the recording of a real app) or a configuration. The file cannot be used.
package struct FileDefect: Error, Sendable, Equatable, CustomStringConvertible {
    package let place: Place
    /// A description of the mistake, and how to correct it.
    package let reason: String

    package init(_ place: Place, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { "\(place): \(reason)" }
}

/// An error with all mistakes in the files that a `FlowReader` or a `TraceReader` has read.
package struct FlowDefects: Error, Sendable {
    package let defects: [FileDefect]
}
