import CPostgres
import SQLStore

extension StoreStatement {
    /// Adds the statement to libpq's output buffer for a connection, which has prepared it. The values
    /// are encoded in PostgreSQL's binary format.
    /// - Returns: true if libpq accepted the statement.
    func send(on connection: OpaquePointer) -> Bool {
        var bytes: [UInt8] = []
        // The range of each parameter's value in `bytes`; nil for NULL.
        let ranges = values.map { value in
            let start = bytes.count
            return bytes.append(value) ? start..<bytes.count : nil
        }
        // libpq treats a parameter with a null pointer as NULL, so the buffer must not be empty.
        bytes.append(0)
        return bytes.withUnsafeBytes { buffer in
            let values = ranges.map { range in
                range.flatMap { buffer.baseAddress?.advanced(by: $0.lowerBound) }?
                    .assumingMemoryBound(to: CChar.self)
            }
            let lengths = ranges.map { Int32($0?.count ?? 0) }
            let formats = ranges.map { _ in Int32(1) }
            return PQsendQueryPrepared(
                connection, text.name, Int32(ranges.count), values, lengths, formats, 1) == 1
        }
    }
}

/// A one-dimensional array as a parameter, in PostgreSQL's binary format: the number of dimensions, a
/// flag for NULL elements, the type of the elements, their count and the first index. The elements
/// follow, each after its length.
struct SQLArray: SQLParameter {
    private var bytes: [UInt8] = []

    init(_ type: SQLType, _ values: [some SQLParameter]) {
        for number in [1, 1, type.rawValue, Int32(values.count), 1] {
            bytes.append(bigEndian: number)
        }
        for value in values {
            let start = bytes.count
            // The length of NULL is -1. The length of a value replaces it below.
            bytes.append(bigEndian: Int32(-1))
            guard bytes.append(value.sqlValue) else { continue }
            let length = Int32(bytes.count - start - 4)
            withUnsafeBytes(of: length.bigEndian) {
                bytes.replaceSubrange(start..<start + 4, with: $0)
            }
        }
    }

    var sqlValue: SQLValue { .blob(bytes) }
}

extension [UInt8] {
    /// Appends a value in PostgreSQL's binary format.
    /// - Returns: false for NULL, which has no bytes.
    fileprivate mutating func append(_ value: SQLValue) -> Bool {
        switch value {
        case .null: return false
        case .integer(let number): append(bigEndian: Int64(number))
        case .text(let text): append(contentsOf: text.utf8)
        case .blob(let bytes): append(contentsOf: bytes)
        case .boolean(let flag): append(flag ? 1 : 0)
        }
        return true
    }

    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
