import Sessions
import Synchronization
import WaypostCore

/// The text of an SQL statement for SQLite and for PostgreSQL, made from one source.
///
/// A parameter in the source is a question mark with PostgreSQL's name of its type, such as
/// `?bigint` or `?bigint[]`. A part in a comment that begins with the name of a database is only for
/// this database: `SELECT 1 FROM account WHERE key = ?text /*postgres FOR SHARE*/`. Only parts for
/// PostgreSQL may have parameters.
package final class SQLText: Sendable {
    package let sqlite: String
    package let postgres: String
    /// The name under which a PostgreSQL connection prepares the statement.
    package let name: String
    /// The reason why a batch is rejected if this statement of the batch meets no row; nil if the
    /// statement may meet none.
    ///
    /// PostgreSQL gets all statements of a batch at once, so that the server itself must reject the
    /// batch. The text for PostgreSQL therefore computes `1 / count(*)` of the rows, and fails with a
    /// division by zero.
    package let refusal: SessionError?
    /// The statement that SQLite runs with the same values if this one meets no row.
    package let alternative: SQLText?
    /// The indexes of the parameters that the text for SQLite has, too.
    private let sqliteParameters: [Int]

    package init(
        _ source: String, orRefuse refusal: SessionError? = nil, orElse alternative: SQLText? = nil
    ) {
        var (sqlite, rows) = ("", "")
        var parameters: [Int] = []
        var count = 0
        var (isForSQLite, isForPostgres) = (true, true)
        var rest = source[...]
        while true {
            let token = rest.firstMatch(of: /\/\*sqlite|\/\*postgres|\*\/|\?[a-z]*/)
            let text = rest[..<(token?.range.lowerBound ?? rest.endIndex)]
            if isForSQLite { sqlite += text }
            if isForPostgres { rows += text }
            guard let token else { break }
            rest = rest[token.range.upperBound...]
            switch token.output {
            case "/*sqlite": isForPostgres = false
            case "/*postgres": isForSQLite = false
            case "*/": (isForSQLite, isForPostgres) = (true, true)
            case let parameter:
                if isForSQLite {
                    sqlite += "?"
                    parameters.append(count)
                }
                count += 1
                if isForPostgres { rows += "$\(count)::\(parameter.dropFirst())" }
            }
        }
        self.sqlite = sqlite
        postgres =
            refusal == nil
            ? rows
            : rows.hasPrefix("SELECT")
                ? "SELECT 1 / count(*) FROM (\(rows)) AS found"
                : "WITH written AS (\(rows) RETURNING 1) SELECT 1 / count(*) FROM written"
        name = "w" + String(UInt(bitPattern: postgres.hashValue), radix: 36)
        sqliteParameters = parameters
        self.refusal = refusal
        self.alternative = alternative
    }

    /// Returns the statement with the values of its parameters.
    package func callAsFunction(_ values: any SQLParameter...) -> StoreStatement {
        StoreStatement(text: self, values: values.map(\.sqlValue))
    }

    fileprivate func sqliteValues(_ values: [SQLValue]) -> [SQLValue] {
        sqliteParameters.count == values.count ? values : sqliteParameters.map { values[$0] }
    }
}

/// A statement with the values of its parameters.
package struct StoreStatement: Sendable {
    package let text: SQLText
    /// The values of the parameters in the text for PostgreSQL.
    package let values: [SQLValue]

    package init(text: SQLText, values: [SQLValue]) {
        self.text = text
        self.values = values
    }

    /// The texts that were made of literals, by the addresses of these. A text is made only once.
    private static let texts = Mutex<[Int: SQLText]>([:])

    init(_ source: StaticString, _ values: [any SQLParameter], orRefuse refusal: SessionError?) {
        text = Self.texts.withLock { texts in
            let address = Int(bitPattern: source.utf8Start)
            let text = texts[address] ?? SQLText("\(source)", orRefuse: refusal)
            texts[address] = text
            return text
        }
        self.values = values.map(\.sqlValue)
    }

    package init(
        _ source: StaticString, _ values: any SQLParameter..., orRefuse refusal: SessionError? = nil
    ) {
        self.init(source, values, orRefuse: refusal)
    }

    package var sqliteValues: [SQLValue] { text.sqliteValues(values) }
}

/// The value of a parameter.
package enum SQLValue: Sendable {
    case null
    case integer(Int)
    case text(String)
    case blob([UInt8])
    case boolean(Bool)
}

/// A type whose values can be parameters.
package protocol SQLParameter: Sendable {
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLParameter { package var sqlValue: SQLValue { self } }
extension Int: SQLParameter { package var sqlValue: SQLValue { .integer(self) } }
extension Bool: SQLParameter { package var sqlValue: SQLValue { .boolean(self) } }
extension String: SQLParameter { package var sqlValue: SQLValue { .text(self) } }
extension [UInt8]: SQLParameter { package var sqlValue: SQLValue { .blob(self) } }
extension SecretHash: SQLParameter { package var sqlValue: SQLValue { .blob(bytes) } }
extension SessionID: SQLParameter { package var sqlValue: SQLValue { .blob(bytes) } }
extension Timestamp: SQLParameter { package var sqlValue: SQLValue { .integer(milliseconds) } }
extension Optional: SQLParameter where Wrapped: SQLParameter {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }
}
