import Foundation

/// A value of a property list, or of a JSON file with values of the same types.
///
/// In all formats, booleans, integers and reals are different types. A whole number that does not
/// fit `Int` is a real. OpenStep property lists have no numbers and no booleans: in this format,
/// `1954` is a string.
public enum PropertyList: Sendable, Equatable {
    case string(String)
    case integer(Int)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([String: PropertyList])
    /// A null, as in JSON. A binary property list can also contain a null, but Apple's tools never
    /// write one.
    case null

    /// The name of the value's type with its article, for error messages, such as "a string".
    public var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .real: "a real number"
        case .boolean: "a boolean"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .null: "null"
        }
    }
}
