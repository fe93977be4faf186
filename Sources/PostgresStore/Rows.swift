import CPostgres
import SQLStore

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

/// A row of a result.
struct Row: SQLRow {
    fileprivate let rows: Rows
    fileprivate let number: Int32

    func bytesIfPresent(_ column: String) throws(DamagedValue) -> [UInt8]? {
        try rows.bytes(number, column)
    }

    func textIfPresent(_ column: String) throws(DamagedValue) -> String? {
        try bytesIfPresent(column).map { String(decoding: $0, as: UTF8.self) }
    }

    func flag(_ column: String) throws(DamagedValue) -> Bool {
        let bytes = try bytes(column)
        guard bytes.count == 1 else { throw DamagedValue(column: column, found: "no boolean") }
        return bytes[0] != 0
    }

    func integerIfPresent(
        _ column: String, in range: ClosedRange<Int>
    ) throws(DamagedValue) -> Int? {
        guard let bytes = try bytesIfPresent(column) else { return nil }
        guard bytes.count == 8 else { throw DamagedValue(column: column, found: "no bigint") }
        let number = Int(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.signed)
        guard range.contains(number) else {
            throw DamagedValue(column: column, found: "a number out of range")
        }
        return number
    }
}

extension UInt64 {
    fileprivate var signed: Int64 { Int64(bitPattern: self) }
}
