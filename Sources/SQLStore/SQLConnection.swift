/// A connection to a database, which runs one statement after another.
package protocol SQLConnection {
    /// Runs a text that may contain several statements.
    func execute(_ script: SQLText) throws

    /// Runs a statement, and returns its rows.
    func rows(_ statement: StoreStatement) throws -> [any SQLRow]

    /// Reads all rows of a table, which may be large.
    /// - Parameter key: the column with the key of the table.
    func eachRow(
        of table: String, key: String, _ read: (any SQLRow) throws -> Void
    ) throws

    /// Describes an error that a damaged database can cause; nil for any other error.
    func damage(_ error: any Error) -> String?
}
