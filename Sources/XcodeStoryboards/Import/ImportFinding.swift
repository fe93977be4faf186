/// A place of an Xcode storyboard that the import could not map exactly, or at all.
public struct ImportFinding: Sendable, Equatable, CustomStringConvertible {
    public enum Severity: String, Sendable, Comparable {
        /// The difference has no effect on what a user can do.
        case note
        /// The imported app differs from the original here.
        case warning
        /// The storyboard cannot be imported.
        case error

        public static func < (one: Severity, other: Severity) -> Bool {
            one.rank < other.rank
        }

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    public let severity: Severity
    public let file: String
    /// The object id in the file; empty for the whole file.
    public let object: String
    /// The difference, and the way to mend it.
    public let reason: String

    public var description: String {
        let place = object.isEmpty ? file : "\(file): \(object)"
        return "\(severity.rawValue): \(place): \(reason)"
    }
}
