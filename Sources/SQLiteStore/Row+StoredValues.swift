import Foundation
import GRDB
import SQLStore
import WaypostCore

/// Methods that read a column and throw `DamagedValue` if its value is invalid. A damaged file may
/// contain any value, and GRDB's own subscripts terminate the process if a value is missing or has
/// another type.
extension GRDB.Row {
    func integer(
        _ column: String, in range: ClosedRange<Int> = StoredRange.numbers
    ) throws(DamagedValue) -> Int {
        try require(try integerIfPresent(column, in: range), column)
    }

    func integerIfPresent(
        _ column: String, in range: ClosedRange<Int> = StoredRange.numbers
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

    func timestamp(_ column: String) throws(DamagedValue) -> Timestamp {
        Timestamp(milliseconds: try integer(column, in: StoredRange.timestamps))
    }

    func timestampIfPresent(_ column: String) throws(DamagedValue) -> Timestamp? {
        try integerIfPresent(column, in: StoredRange.timestamps)
            .map { Timestamp(milliseconds: $0) }
    }

    func flag(_ column: String) throws(DamagedValue) -> Bool {
        try integer(column, in: 0...1) == 1
    }

    func text(_ column: String) throws(DamagedValue) -> String {
        try require(try textIfPresent(column), column)
    }

    func textIfPresent(_ column: String) throws(DamagedValue) -> String? {
        switch try storedValue(column) {
        case .null: return nil
        case .string(let text): return text
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    func blob(_ column: String) throws(DamagedValue) -> Data {
        try require(try blobIfPresent(column), column)
    }

    func blobIfPresent(_ column: String) throws(DamagedValue) -> Data? {
        switch try storedValue(column) {
        case .null: return nil
        case .blob(let data): return data
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    func hash(_ column: String) throws(DamagedValue) -> SecretHash {
        try require(try hashIfPresent(column), column)
    }

    func hashIfPresent(_ column: String) throws(DamagedValue) -> SecretHash? {
        guard let data = try blobIfPresent(column) else { return nil }
        guard let hash = SecretHash(stored: data) else {
            throw DamagedValue(column: column, found: "bytes of a wrong length")
        }
        return hash
    }

    private func require<Value>(_ value: Value?, _ column: String) throws(DamagedValue) -> Value {
        guard let value else { throw DamagedValue(column: column, found: "NULL") }
        return value
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
