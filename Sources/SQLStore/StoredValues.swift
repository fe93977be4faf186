/// The error for a stored value that Waypost cannot have written. The store is damaged, or another
/// program has changed it.
package struct DamagedValue: Error, CustomStringConvertible {
    package let column: String
    /// A description of the value, such as `a number out of range`; never the value itself.
    package let found: String

    package init(column: String, found: String) {
        self.column = column
        self.found = found
    }

    package var description: String { "the column \(column) holds \(found)" }
}
