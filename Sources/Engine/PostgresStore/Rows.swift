import CPostgres
import SQLStore

/// The rows of a statement's result, in PostgreSQL's binary format.
final class Rows: RandomAccessCollection {
    fileprivate let result: OpaquePointer

    /// Takes ownership of a libpq result.
    /// - Parameter result: the result, which `deinit` frees.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var startIndex: Int { 0 }
    var endIndex: Int { Int(PQntuples(result)) }

    subscript(index: Int) -> Row { Row(rows: self, number: Int32(index)) }
}

/// A row of a result.
struct Row: SQLRow {
    fileprivate let rows: Rows
    fileprivate let number: Int32

    func value(_ column: String, _ type: SQLType) throws(DamagedValue) -> SQLValue {
        let place = PQfnumber(rows.result, column)
        guard place >= 0 else { throw DamagedValue(column: column, found: "nothing") }
        guard PQgetisnull(rows.result, number, place) == 0,
            let start = PQgetvalue(rows.result, number, place)
        else { return .null }
        let length = Int(PQgetlength(rows.result, number, place))
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        switch type {
        case .bytea, .uuid: return .blob(Array(bytes))
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
        // The parameter, and the lowest value that a key can have.
        let (parameter, start) =
            switch key {
            case "key": ("convert_from(?bytea, 'UTF8')", [UInt8]())
            case "id" where table != "idempotency_record":
                ("?uuid", [UInt8](repeating: 0, count: 16))
            default: ("?bytea", [])
            }
        func page(_ comparison: String) -> SQLText {
            SQLText(
                """
                SELECT * FROM \(table) WHERE \(key) \(comparison) \(parameter)
                ORDER BY \(key) LIMIT ?bigint
                """)
        }
        let next = page(">")
        var rows = try run([page(">=")(start, pageSize)])[0]
        while true {
            var last = start
            for row in rows {
                last = try row.bytes(key)
                try read(row)
            }
            if rows.count < pageSize { return }
            rows = try run([next(last, pageSize)])[0]
        }
    }

    func damage(_ error: any Error) -> String? { nil }
}
