import Glibc

/// The header fields of a message, in order. Names compare without regard to case (RFC 9110, 5.1).
///
/// One piece of memory holds them all: they come and go with each message, and few of them are ever
/// looked at.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var count = 0
    /// The fields, one behind the other: see `RawFields`.
    private var bytes: [UInt8] = []
    /// A bit for each length that a name has: most names that are looked for are not there, and need
    /// not be looked for.
    private var lengths: UInt64 = 0

    public init(_ fields: [Field] = []) {
        for field in fields { append(field.name, field.value) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        // Most get a few more, in a copy that gets as much room.
        bytes.reserveCapacity(48 * (elements.count + 3))
        for (name, value) in elements { append(name, value) }
    }

    /// - Parameter capacity: how many bytes they are likely to have, with ten more for each field.
    public init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    public var fields: [Field] {
        withRawFields { fields in fields.map { Field(name: text($0.name), value: text($0.value)) } }
    }

    /// The first value of a field.
    public subscript(name: String) -> String? {
        var value: String?
        forEachValue(of: name) { bytes in
            value = text(bytes)
            return false
        }
        return value
    }

    public func count(of name: String) -> Int {
        var count = 0
        forEachValue(of: name) { _ in
            count += 1
            return true
        }
        return count
    }

    /// The value of a field that is there once; nil if it is absent or there are several.
    public func only(_ name: String) -> String? {
        var value: String?
        withOnly(name) { value = text($0) }
        return value
    }

    /// - Parameter read: called with the value of a field that is there once.
    public func withOnly(_ name: String, _ read: (UnsafeRawBufferPointer) -> Void) {
        guard count(of: name) == 1 else { return }
        forEachValue(of: name) { value in
            read(value)
            return false
        }
    }

    /// All values of a field, in order.
    public func values(_ name: String) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { value in
            values.append(text(value))
            return true
        }
        return values
    }

    /// All values of a field that is a list, combined as RFC 9110, 5.3 says; nil if it is absent.
    public func combined(_ name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    public mutating func append(_ name: consuming String, _ value: consuming String) {
        name.withUTF8 { name in
            value.withUTF8 { append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0)) }
        }
    }

    /// A field as it came.
    public mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let size = RawFields.overhead + name.count + value.count
        bytes.append(addingCapacity: size) { span in
            span.withUnsafeMutableBufferPointer { memory, count in
                guard let start = memory.baseAddress else { return }
                RawFields.write(name, value, to: start + count)
                count += size
            }
        }
        count += 1
        lengths |= Self.bit(of: name.count)
    }

    /// The fields as bytes.
    public func withRawFields<Result>(_ body: (RawFields) -> Result) -> Result {
        bytes.withUnsafeBytes { body(RawFields($0)) }
    }

    /// - Parameter visit: returns false to see no more.
    private func forEachValue(of name: String, _ visit: (UnsafeRawBufferPointer) -> Bool) {
        guard lengths & Self.bit(of: name.utf8.count) != 0 else { return }
        var name = name
        name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            withRawFields { fields in
                for field in fields where isSame(field.name, name) {
                    if !visit(field.value) { return }
                }
            }
        }
    }

    private static func bit(of length: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: length) }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
}

/// ASCII letters only, as field names are tokens.
private func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard one.count == other.count, let start = one.baseAddress, let otherStart = other.baseAddress
    else { return one.count == other.count }
    // Most write names as the RFCs do.
    return memcmp(start, otherStart, one.count) == 0
        || one.indices.allSatisfy { lowercased(one[$0]) == lowercased(other[$0]) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
