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

    func value(_ column: String, _ type: SQLType) throws(DamagedValue) -> SQLValue {
        guard let bytes = try rows.bytes(number, column) else { return .null }
        switch type {
        case .bytea, .uuid: return .blob(bytes)
        case .text: return .text(String(decoding: bytes, as: UTF8.self))
        case .boolean where bytes.count == 1: return .boolean(bytes[0] != 0)
        case .bigint where bytes.count == 8:
            return .integer(
                Int(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        case .boolean, .bigint: throw DamagedValue(column: column, found: "no \(type)")
        }
    }
}

extension Connection: SQLConnection {
    func execute(_ script: SQLText) throws { _ = try execute(script.postgres) }

    func rows(_ statement: StoreStatement) throws -> [any SQLRow] {
        Array(try run([statement])[0])
    }

    func eachRow(
        of table: String, key: String, _ read: (any SQLRow) throws -> Void
    ) throws {
        let pageSize = 500
        // The parameter, and a value before all keys.
        let (parameter, start) =
            switch key {
            case "key": ("convert_from(?bytea, 'UTF8')", [UInt8]())
            case "id" where table != "idempotency_record":
                ("?uuid", [UInt8](repeating: 0, count: 16))
            default: ("?bytea", [])
            }
        let page = SQLText(
            """
            SELECT * FROM \(table) WHERE \(key) > \(parameter) ORDER BY \(key) LIMIT ?bigint
            """)
        var last = start
        while true {
            let rows = try run([page(last, pageSize)])[0]
            for row in rows {
                last = try row.bytes(key)
                try read(row)
            }
            if rows.count < pageSize { return }
        }
    }

    func damage(_ error: any Error) -> String? { nil }
}
