/// A file that cannot be used, with all that is to be mended.
public struct UnusableFile: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one, in the order of the file.
    public let defects: [Diagnostic]
    public let warnings: [Diagnostic]

    /// One line for each defect.
    public var description: String {
        defects.map(\.description).joined(separator: "\n")
    }
}
