import Accounts
import CPostgres
import SQLStore
import Sessions
import WaypostCore

/// An SQL statement with a name under which each connection prepares it once.
struct SQLStatement: Sendable {
    /// The name of the prepared statement, unique among all statements.
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}

/// A statement with the values of its parameters, encoded in PostgreSQL's binary format.
struct BoundStatement {
    let statement: SQLStatement
    private var bytes: [UInt8] = []
    /// The range of each parameter's value in `bytes`; nil for NULL.
    private var ranges: [Range<Int>?] = []

    init(_ statement: SQLStatement) { self.statement = statement }

    init(_ statement: StoreStatement) {
        var bound = Self(SQLStatement(statement.text.name, statement.text.postgres))
        for value in statement.values {
            bound =
                switch value {
                case .null: bound.null()
                case .integer(let number): bound.bigint(number)
                case .text(let text): bound.text(text)
                case .blob(let bytes): bound.bytes(bytes)
                case .boolean(let flag): bound.boolean(flag)
                }
        }
        self = bound
    }

    // MARK: Parameters

    consuming func null() -> Self {
        ranges.append(nil)
        return self
    }

    consuming func bytes(_ value: [UInt8]?) -> Self {
        guard let value else { return null() }
        return appending { $0 += value }
    }

    consuming func text(_ value: String?) -> Self {
        guard let value else { return null() }
        return appending { $0 += value.utf8 }
    }

    consuming func bigint(_ value: Int?) -> Self {
        guard let value else { return null() }
        return appending { $0.append(bigEndian: Int64(value)) }
    }

    consuming func boolean(_ value: Bool) -> Self { appending { $0.append(value ? 1 : 0) } }

    consuming func id(_ value: SessionID?) -> Self { bytes(value?.bytes) }
    consuming func hash(_ value: SecretHash?) -> Self { bytes(value?.bytes) }
    consuming func time(_ value: Timestamp?) -> Self { bigint(value?.milliseconds) }

    // MARK: Arrays

    /// The element types of array parameters. The raw value is PostgreSQL's object identifier of
    /// the type (`pg_type.dat`).
    private enum ElementType: Int32 {
        case bytea = 17
        case bigint = 20
        case text = 25
        case uuid = 2950
    }

    consuming func ids(_ values: some Collection<SessionID>) -> Self {
        array(of: .uuid, values.map(Optional.some)) { $0 += $1.bytes }
    }

    consuming func bigints(_ values: some Collection<Int?>) -> Self {
        array(of: .bigint, values) { $0.append(bigEndian: Int64($1)) }
    }

    consuming func hashes(_ values: some Collection<SecretHash>) -> Self {
        array(of: .bytea, values.map(Optional.some)) { $0 += $1.bytes }
    }

    consuming func byteArrays(_ values: some Collection<[UInt8]?>) -> Self {
        array(of: .bytea, values) { $0 += $1 }
    }

    consuming func texts(_ values: some Collection<String?>) -> Self {
        array(of: .text, values) { $0 += $1.utf8 }
    }

    /// Appends a one-dimensional array as the next parameter. PostgreSQL's binary format for arrays
    /// contains the number of dimensions, a flag for NULL elements, the type of the elements, their
    /// count and the first index. The elements follow, each after its length.
    /// - Parameters:
    ///   - values: the elements; nil stands for NULL.
    ///   - write: appends the bytes of one element.
    private consuming func array<Element>(
        of type: ElementType, _ values: some Collection<Element?>,
        _ write: (inout [UInt8], Element) -> Void
    ) -> Self {
        appending { bytes in
            for number in [1, 1, type.rawValue, Int32(values.count), 1] {
                bytes.append(bigEndian: number)
            }
            for value in values {
                let start = bytes.count
                // The length of NULL is -1. The length of a value replaces it below.
                bytes.append(bigEndian: Int32(-1))
                guard let value else { continue }
                write(&bytes, value)
                let length = Int32(bytes.count - start - 4)
                withUnsafeBytes(of: length.bigEndian) {
                    bytes.replaceSubrange(start..<start + 4, with: $0)
                }
            }
        }
    }

    private consuming func appending(_ write: (inout [UInt8]) -> Void) -> Self {
        let start = bytes.count
        write(&bytes)
        ranges.append(start..<bytes.count)
        return self
    }

    // MARK: Sending

    /// Adds the statement to libpq's output buffer for a connection.
    /// - Returns: true if libpq accepted the statement.
    func send(on connection: OpaquePointer) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            // libpq treats a parameter with a null pointer as NULL, so an empty parameter needs a
            // pointer.
            var none: CChar = 0
            return withUnsafePointer(to: &none) { empty in
                let values = ranges.map { range -> UnsafePointer<CChar>? in
                    guard let range else { return nil }
                    guard let base = buffer.baseAddress, !range.isEmpty else { return empty }
                    return UnsafeRawPointer(base + range.lowerBound)
                        .assumingMemoryBound(to: CChar.self)
                }
                let lengths = ranges.map { Int32($0?.count ?? 0) }
                let formats = ranges.map { _ in Int32(1) }
                return PQsendQueryPrepared(
                    connection, statement.name, Int32(ranges.count), values, lengths, formats, 1)
                    == 1
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
