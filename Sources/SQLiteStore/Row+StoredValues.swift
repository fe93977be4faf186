import GRDB
import SQLStore
import Sessions
import WaypostCore

/// A damaged file may contain any value, and GRDB's own subscripts terminate the process if a value
/// is missing or has another type.
extension GRDB.Row: SQLRow {
    package func integerIfPresent(
        _ column: String, in range: ClosedRange<Int>
    ) throws(DamagedValue) -> Int? {
        switch try storedValue(column) {
        case .null: return nil
        case .int64(let number):
            guard let number = Int(exactly: number), range.contains(number) else {
                throw DamagedValue(column: column, found: "a number out of range")
            }
            return number
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func textIfPresent(_ column: String) throws(DamagedValue) -> String? {
        switch try storedValue(column) {
        case .null: return nil
        case .string(let text): return text
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func bytesIfPresent(_ column: String) throws(DamagedValue) -> [UInt8]? {
        switch try storedValue(column) {
        case .null: return nil
        case .blob(let data): return Array(data)
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func flag(_ column: String) throws(DamagedValue) -> Bool {
        try integer(column, in: 0...1) == 1
    }

    private func storedValue(_ column: String) throws(DamagedValue) -> DatabaseValue.Storage {
        guard hasColumn(column) else { throw DamagedValue(column: column, found: "nothing") }
        return (self[column] as DatabaseValue).storage
    }
}

extension DatabaseValue.Storage {
    fileprivate var kind: String {
        switch self {
        case .null: "NULL"
        case .int64: "an integer"
        case .double: "a real number"
        case .string: "text"
        case .blob: "bytes"
        }
    }
}

/// Calls a closure that reads a row, and names the row in the error if the closure throws.
/// - Parameters:
///   - subject: the name of the row for the error message, such as `session 0123…`.
///   - read: reads the row.
/// - Throws: SQLite's errors unchanged; for any other error, a `StorageError` that names the row.
func readStored<Value>(
    _ subject: @autoclosure () -> String, _ read: () throws -> Value
) throws -> Value {
    do {
        return try read()
    } catch let error as DatabaseError {
        throw error
    } catch {
        throw StorageError(reason: "the stored \(subject()) cannot be read: \(error)")
    }
}
