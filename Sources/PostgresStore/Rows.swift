import Accounts
import CPostgres
import SQLStore
import Sessions
import WaypostCore

/// The rows of a statement's result, in PostgreSQL's binary format.
final class Rows: RandomAccessCollection {
    private let result: OpaquePointer

    /// Takes ownership of a libpq result.
    /// - Parameter result: the result, which `deinit` frees.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var startIndex: Int { 0 }
    var endIndex: Int { Int(PQntuples(result)) }

    subscript(index: Int) -> Row { Row(rows: self, number: Int32(index)) }

    fileprivate func bytes(_ row: Int32, _ column: String) throws(DamagedValue) -> [UInt8]? {
        let number = PQfnumber(result, column)
        guard number >= 0 else { throw DamagedValue(column: column, found: "nothing") }
        guard PQgetisnull(result, row, number) == 0,
            let start = PQgetvalue(result, row, number)
        else { return nil }
        let length = Int(PQgetlength(result, row, number))
        return Array(UnsafeRawBufferPointer(start: start, count: length))
    }
}

/// A row of a result. Its methods throw `DamagedValue` if a column is missing, or if its value has
/// another type or is out of range.
struct Row {
    fileprivate let rows: Rows
    fileprivate let number: Int32

    func bytesIfPresent(_ column: String) throws(DamagedValue) -> [UInt8]? {
        try rows.bytes(number, column)
    }

    func bytes(_ column: String) throws(DamagedValue) -> [UInt8] {
        try require(try bytesIfPresent(column), column)
    }

    func textIfPresent(_ column: String) throws(DamagedValue) -> String? {
        try bytesIfPresent(column).map { String(decoding: $0, as: UTF8.self) }
    }

    func text(_ column: String) throws(DamagedValue) -> String {
        try require(try textIfPresent(column), column)
    }

    func flag(_ column: String) throws(DamagedValue) -> Bool {
        let bytes = try bytes(column)
        guard bytes.count == 1 else { throw DamagedValue(column: column, found: "no boolean") }
        return bytes[0] != 0
    }

    func integer(
        _ column: String, in range: ClosedRange<Int> = StoredRange.numbers
    ) throws(DamagedValue) -> Int {
        try require(try integerIfPresent(column, in: range), column)
    }

    func integerIfPresent(
        _ column: String, in range: ClosedRange<Int> = StoredRange.numbers
    ) throws(DamagedValue) -> Int? {
        guard let bytes = try bytesIfPresent(column) else { return nil }
        guard bytes.count == 8 else { throw DamagedValue(column: column, found: "no bigint") }
        let number = Int(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.signed)
        guard range.contains(number) else {
            throw DamagedValue(column: column, found: "a number out of range")
        }
        return number
    }

    func time(_ column: String) throws(DamagedValue) -> Timestamp {
        Timestamp(milliseconds: try integer(column, in: StoredRange.timestamps))
    }

    func timeIfPresent(_ column: String) throws(DamagedValue) -> Timestamp? {
        try integerIfPresent(column, in: StoredRange.timestamps)
            .map { Timestamp(milliseconds: $0) }
    }

    func hash(_ column: String) throws(DamagedValue) -> SecretHash {
        try require(try hashIfPresent(column), column)
    }

    func hashIfPresent(_ column: String) throws(DamagedValue) -> SecretHash? {
        guard let bytes = try bytesIfPresent(column) else { return nil }
        guard bytes.count == 32 else {
            throw DamagedValue(column: column, found: "bytes of a wrong length")
        }
        return SecretHash(bytes: bytes)
    }

    func id(_ column: String) throws(DamagedValue) -> SessionID {
        try require(try idIfPresent(column), column)
    }

    func idIfPresent(_ column: String) throws(DamagedValue) -> SessionID? {
        guard let bytes = try bytesIfPresent(column) else { return nil }
        guard let id = SessionID(bytes: bytes) else {
            throw DamagedValue(column: column, found: "no uuid")
        }
        return id
    }

    private func require<Value>(_ value: Value?, _ column: String) throws(DamagedValue) -> Value {
        guard let value else { throw DamagedValue(column: column, found: "NULL") }
        return value
    }
}

extension UInt64 {
    fileprivate var signed: Int64 { Int64(bitPattern: self) }
}
