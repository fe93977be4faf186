import Foundation

/// A value of a property list, or of a JSON file with the same content.
///
/// Booleans are never integers, and integers never reals, in any format. A number without a
/// fraction that does not fit `Int` is a real. OpenStep property lists have neither numbers nor
/// booleans; their `1954` is a string.
public enum PropertyList: Sendable, Equatable {
    case string(String)
    case integer(Int)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([String: PropertyList])
    /// A null, which occurs only in JSON and in binary property lists that Apple's tools refuse to
    /// write.
    case null

    /// The name of the value's type with its article, for messages: "a string", "an integer".
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
