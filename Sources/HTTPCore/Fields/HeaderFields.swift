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
    /// A bit for each length that a name has: most names that are looked for are not there, and so
    /// need no search.
    private var lengths: UInt64 = 0

    public init(_ fields: [Field] = []) {
        for field in fields { append(field.name, field.value) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        // Most get a few more; where these are a constant, a copy does, which has the same capacity.
        bytes.reserveCapacity(48 * (elements.count + 3))
        for (name, value) in elements { append(name, value) }
    }

    /// - Parameter capacity: how many bytes they are likely to have, and `RawFields.overhead` for each.
    public init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// All of them, each made a string anew.
    public var fields: [Field] {
        withRawFields { fields in fields.map { Field(name: text($0.name), value: text($0.value)) } }
    }

    /// The first value of a field.
    public subscript(name: String) -> String? {
        withValues(of: name) { $0.next().map(text) } ?? nil
    }

    public func count(of name: String) -> Int {
        withValues(of: name) { values in values.reduce(0) { count, _ in count + 1 } } ?? 0
    }

    /// The value of a field that is there once; nil if it is absent or there are several.
    public func singleValue(of name: String) -> String? {
        var value: String?
        withSingleValue(name) { value = text($0) }
        return value
    }

    /// - Parameter read: called with the value of a field that is there once.
    public func withSingleValue(_ name: String, _ read: (UnsafeRawBufferPointer) -> Void) {
        withValues(of: name) { values in
            guard let value = values.next(), values.next() == nil else { return }
            read(value)
        }
    }

    /// All values of a field, in order.
    public func values(_ name: String) -> [String] {
        withValues(of: name) { values in values.map(text) } ?? []
    }

    /// All values of a field that is a list, combined as RFC 9110, 5.3 says; nil if it is absent.
    public func combined(_ name: String) -> String? {
        withValues(of: name) { values in
            guard var list = values.next().map(text) else { return nil }
            while let value = values.next() { list += ", " + text(value) }
            return list
        } ?? nil
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

    /// - Returns: nil if no name is as long as this one.
    @discardableResult
    private func withValues<Result>(
        of name: String, _ body: (inout RawValues) -> Result
    ) -> Result? {
        guard lengths & Self.bit(of: name.utf8.count) != 0 else { return nil }
        var name = name
        return name.withUTF8 { name in
            withRawFields { fields in
                var values = RawValues(fields: fields, name: UnsafeRawBufferPointer(name))
                return body(&values)
            }
        }
    }

    private static func bit(of length: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: length) }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
}

/// The values of the fields of one name.
private struct RawValues: Sequence, IteratorProtocol {
    var fields: RawFields
    let name: UnsafeRawBufferPointer

    mutating func next() -> UnsafeRawBufferPointer? {
        while let field = fields.next() {
            if isSame(field.name, name) { return field.value }
        }
        return nil
    }
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
