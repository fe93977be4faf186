/// A finding of the import of Xcode storyboards: a part of a storyboard that the import converted
/// only inexactly or not at all, or a problem with the import options or with a project folder.
package struct ImportFinding: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: Sendable {
        /// The imported app differs from the original app in this part, but not in what a user can
        /// do.
        case note
        /// The imported app behaves differently from the original app in this part.
        case warning
    }

    package let severity: Severity
    package let file: String
    /// The Xcode object id of the part, such as `abc-de-fgh`; a scene name if the finding is about
    /// the import options; empty if it is about a whole folder.
    package let object: String
    /// A description of the problem, and of what the owner of the app can do about it.
    package let reason: String

    package var description: String {
        let place = object.isEmpty ? file : "\(file): \(object)"
        return "\(severity): \(place): \(reason)"
    }
}
