import SQLStore

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
            case "id" where table == "session": ("?uuid", [UInt8](repeating: 0, count: 16))
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
