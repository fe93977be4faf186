import Glibc

/// The header fields of a message, in order. Names compare without regard to case (RFC 9110, 5.1).
///
/// All fields share one block of memory, so that a message needs one allocation for all of them.
/// The type makes strings only on access, because most fields are never read.
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
    /// The encoded fields in order; `RawFields` describes the encoding.
    private var bytes: [UInt8] = []
    /// The lengths of all names, as a set of bits: bit n is set if the length of a name is n modulo
    /// 64. If the bit for the length of a name is not set, the field is absent, and a lookup skips
    /// the search through the fields.
    private var lengths: UInt64 = 0

    public init(_ fields: [Field] = []) {
        for field in fields { append(field.name, field.value) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        // The extra capacity has room for the three fields that most messages add later. A copy of
        // a constant literal keeps this capacity when a message appends the fields to it.
        bytes.reserveCapacity(48 * (elements.count + 3))
        for (name, value) in elements { append(name, value) }
    }

    /// Creates an empty list of fields.
    /// - Parameter capacity: the expected number of bytes: the sizes of all names and values, plus
    ///   `RawFields.overhead` for each field.
    public init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// All fields as strings. Each access creates the strings again.
    public var fields: [Field] {
        withRawFields { fields in fields.map { Field(name: text($0.name), value: text($0.value)) } }
    }

    /// The first value of a field; nil if the field is absent.
    public subscript(name: String) -> String? {
        withValues(of: name) { $0.next().map(text) } ?? nil
    }

    /// Returns whether the first value of the field `name` is exactly `value`; false if the field
    /// is absent. Does not convert the field to a string.
    public func has(_ name: String, _ value: StaticString) -> Bool {
        withValues(of: name) { values in
            guard let first = values.next(), first.count == value.utf8CodeUnitCount else {
                return false
            }
            return first.baseAddress.map { memcmp($0, value.utf8Start, first.count) == 0 } ?? true
        } ?? false
    }

    /// Returns the number of fields with this name.
    public func count(of name: String) -> Int {
        withValues(of: name) { values in values.reduce(0) { count, _ in count + 1 } } ?? 0
    }

    /// Returns the value of a field that occurs exactly once; nil if the field is absent or occurs
    /// several times.
    public func singleValue(of name: String) -> String? {
        var value: String?
        withSingleValue(name) { value = text($0) }
        return value
    }

    /// Passes the value of a field to `read` if the field occurs exactly once. Does nothing
    /// otherwise.
    /// - Parameter read: called at most once, before this method returns; the bytes are valid only
    ///   during the call.
    public func withSingleValue(_ name: String, _ read: (UnsafeRawBufferPointer) -> Void) {
        withValues(of: name) { values in
            guard let value = values.next(), values.next() == nil else { return }
            read(value)
        }
    }

    /// Returns all values of a field, in order.
    public func values(_ name: String) -> [String] {
        withValues(of: name) { values in values.map(text) } ?? []
    }

    /// Returns all values of a list field, joined by commas (RFC 9110, 5.3); nil if the field is
    /// absent.
    public func combined(_ name: String) -> String? {
        withValues(of: name) { values in
            guard var list = values.next().map(text) else { return nil }
            while let value = values.next() { list += ", " + text(value) }
            return list
        } ?? nil
    }

    /// Appends a field after all others, even if its name occurs already.
    public mutating func append(_ name: consuming String, _ value: consuming String) {
        name.withUTF8 { name in
            value.withUTF8 { append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0)) }
        }
    }

    /// Appends a field after all others. Copies the bytes of the name and of the value.
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

    /// Calls `body` with the encoded fields, which are valid only during the call.
    public func withRawFields<Result>(_ body: (RawFields) -> Result) -> Result {
        bytes.withUnsafeBytes { body(RawFields($0)) }
    }

    /// Calls `body` with an iterator over the values of a field.
    /// - Returns: the result of `body`. Returns nil, without a call of `body`, if `lengths` shows
    ///   that no field has this name.
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

/// An iterator over the values of all fields with one name.
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
