/// What a file may ask of the process that reads it.
///
/// An overflow of the stack or of memory cannot be caught, so that each limit is checked before
/// the step that it guards.
enum PropertyListLimits {
    /// In bytes: 64 MiB.
    static let fileSize = 64 << 20

    /// Arrays and dictionaries inside each other.
    static let nesting = 64

    /// Values in the expanded tree, keys not counted: a binary property list may name one object
    /// many times, and every time counts.
    static let values = 1_000_000

    /// In bytes, of a string that the app shows or looks something up by: a title, a name, a path.
    static let textSize = 10_000

    static let tooDeep = UnreadablePropertyList(
        reason: "arrays and dictionaries nest deeper than \(nesting) levels")
    static let tooManyValues = UnreadablePropertyList(
        reason: "the property list has more than \(values) values; split the file")
}
