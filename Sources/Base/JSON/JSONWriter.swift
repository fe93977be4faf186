import Glibc

/// Writes JSON directly into a byte buffer, without an intermediate tree. All JSON responses are
/// encoded with this type.
///
/// The writer puts commas between members and elements; `object` and `array` write the brackets.
///
/// Many methods are inlinable, so that the compiler can specialise them for the closures and
/// constants that other modules pass. The name of a member is usually a constant; its bytes are
/// then written with two or three store instructions.
public struct JSONWriter: ~Copyable {
    // The buffer is allocated memory because an array would check at each write whether it is
    // shared.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int
    /// Whether the writer must put a comma before the next member or element.
    @usableFromInline var needsComma = false

    public init(capacity: Int = 2048) {
        self.capacity = max(capacity, 64)
        start = Self.allocate(self.capacity)
    }

    deinit { free(start) }

    /// Allocates a buffer with `malloc`, which is faster than Swift's allocation of aligned memory.
    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        // The process ends if there is no memory left, as with Swift's own allocation.
        guard let memory = malloc(capacity) else { fatalError("out of memory") }
        return memory.bindMemory(to: UInt8.self, capacity: capacity)
    }

    /// The number of bytes written so far.
    public var size: Int { count }

    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Returns the JSON that `write` writes.
    @inlinable
    public static func bytes(
        capacity: Int = 2048, _ write: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(capacity: capacity)
        write(&json)
        return json.bytes
    }

    /// Calls `body` with the bytes written so far, without a copy.
    public func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        body(UnsafeBufferPointer(start: start, count: count))
    }

    // MARK: Containers

    /// Writes an object. The closure `members` writes the members of the object.
    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array. The closure writes the elements.
    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        elements(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes an array. The closure `write` is called for each element, and writes one value.
    @inlinable
    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        close(UInt8(ascii: "]"))
    }

    /// Writes an array of objects. The closure `write` is called for each element, and writes the
    /// members of one object.
    @inlinable @inline(__always)
    public mutating func objects<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        array(elements) { json, element in json.object { write(&$0, element) } }
    }

    @inlinable
    mutating func open(_ bracket: UInt8) {
        separate()
        append(bracket)
        needsComma = false
    }

    @inlinable
    mutating func close(_ bracket: UInt8) {
        append(bracket)
        needsComma = true
    }

    /// Writes the name of a member.
    /// - Parameter name: text that needs no escaping in JSON.
    @inlinable @inline(__always)
    public mutating func name(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        if capacity - count < length + 4 { grow(by: length + 4) }
        var end = start + count
        if needsComma {
            end.pointee = UInt8(ascii: ",")
            end += 1
        }
        end.pointee = UInt8(ascii: "\"")
        (end + 1).update(from: name.utf8Start, count: length)
        (end + length + 1).pointee = UInt8(ascii: "\"")
        (end + length + 2).pointee = UInt8(ascii: ":")
        count = end + length + 3 - start
        needsComma = false
    }

    /// Writes the name of a member, and escapes characters if needed.
    public mutating func name(escaping name: String) {
        string(name)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    @inlinable @inline(__always)
    public mutating func null() {
        literal("null")
    }

    @inlinable @inline(__always)
    public mutating func boolean(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    public mutating func integer(_ value: Int) {
        separate()
        appendDigits(of: value)
        needsComma = true
    }

    /// Writes a number.
    /// - Precondition: the number is finite, because JSON cannot represent infinity or NaN.
    public mutating func real(_ value: Double) {
        precondition(value.isFinite)
        separate()
        append(value.description)
        needsComma = true
    }

    public mutating func string(_ value: String) {
        let isWritten: Void? = value.utf8.withContiguousStorageIfAvailable { string($0) }
        if isWritten != nil { return }
        // Only strings that are bridged from another language are not contiguous.
        var value = value
        value.withUTF8 { string($0) }
    }

    private mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        if capacity - count < text.count + 4 { grow(by: text.count + 4) }
        if needsComma {
            start[count] = UInt8(ascii: ",")
            count += 1
        }
        start[count] = UInt8(ascii: "\"")
        count += 1
        // Nearly all text needs no escape, so the writer copies and checks it in one pass.
        let end = start + count
        var mustEscape: UInt8 = 0
        for index in 0..<text.count {
            end[index] = text[index]
            mustEscape |= Self.mustEscape(text[index]) ? 1 : 0
        }
        if mustEscape == 0 { count += text.count } else { appendEscaped(text) }
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a string of ASCII characters that need no escaping in JSON.
    /// - Parameters:
    ///   - length: the number of characters.
    ///   - write: writes exactly `length` characters into the buffer.
    @inlinable @inline(__always)
    public mutating func string(
        ofASCII length: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        if capacity - count < length + 3 { grow(by: length + 3) }
        separate()
        start[count] = UInt8(ascii: "\"")
        write(UnsafeMutableBufferPointer(start: start + count + 1, count: length))
        start[count + length + 1] = UInt8(ascii: "\"")
        count += length + 2
        needsComma = true
    }

    /// Writes a value that is already encoded as JSON.
    /// - Parameter bytes: an element of an array or the value of a member, as JSON.
    public mutating func element(_ bytes: [UInt8]) {
        separate()
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
        needsComma = true
    }

    // MARK: Members, in one call

    /// Writes one or more members that are already encoded as JSON.
    /// - Parameter text: the members with commas between them, without a comma at either end.
    @inlinable @inline(__always)
    public mutating func members(_ text: StaticString) {
        literal(text)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    /// Writes a member whose value is a string.
    /// - Parameter text: ASCII text that needs no escaping in JSON.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, text: StaticString) {
        self.name(name)
        let length = text.utf8CodeUnitCount
        string(ofASCII: length) { $0.baseAddress?.update(from: text.utf8Start, count: length) }
    }

    /// Writes a member whose value is a string that consists of a prefix and a number, such as
    /// `"vc12"`.
    /// - Parameters:
    ///   - prefix: text that needs no escaping in JSON.
    ///   - number: the number; nil writes null.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ prefix: StaticString, _ number: Int?) {
        self.name(name)
        guard let number else { return null() }
        append(UInt8(ascii: "\""))
        prefix.withUTF8Buffer { append(contentsOf: $0) }
        appendDigits(of: number)
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: Int) {
        self.name(name)
        integer(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: [String]) {
        self.name(name)
        array(value) { $0.string($1) }
    }

    /// Writes a member whose value is an object.
    @inlinable @inline(__always)
    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    /// Writes a member whose value is an array.
    @inlinable @inline(__always)
    public mutating func array<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements,
        _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        self.name(name)
        array(elements, write)
    }

    /// Writes a member whose value is an array of objects.
    @inlinable @inline(__always)
    public mutating func objects<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements,
        _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        self.name(name)
        objects(elements, write)
    }

    // MARK: Bytes

    @inlinable @inline(__always)
    mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    @inlinable @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        start[count] = byte
        count += 1
    }

    @usableFromInline
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        if capacity - count < bytes.count { grow(by: bytes.count) }
        (start + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    @usableFromInline
    mutating func grow(by length: Int) {
        capacity = max(2 * capacity, count + length)
        let larger = Self.allocate(capacity)
        larger.update(from: start, count: count)
        free(start)
        start = larger
    }

    @inlinable @inline(__always)
    mutating func literal(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        if capacity - count < length + 1 { grow(by: length + 1) }
        separate()
        (start + count).update(from: text.utf8Start, count: length)
        count += length
        needsComma = true
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    @usableFromInline
    mutating func appendDigits(of value: Int) {
        if capacity - count < 20 { grow(by: 20) }
        if (0..<10).contains(value) {
            return append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
        }
        if value < 0 { append(UInt8(ascii: "-")) }
        var number = value.magnitude
        var length = 1
        var bound: UInt = 10
        while number >= bound {
            length += 1
            bound *= 10
        }
        count += length
        var end = start + count
        repeat {
            end -= 1
            end.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
            number /= 10
        } while number > 0
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes the content of a string, and escapes characters where needed. The bytes between two
    /// escaped characters are copied in one block.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for (index, byte) in text.enumerated() where Self.mustEscape(byte) {
            append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: byte)
            start = index + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private mutating func appendEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            for character in "u00".utf8 { append(character) }
            append(Self.hexadecimalDigit(byte >> 4))
            append(Self.hexadecimalDigit(byte & 15))
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
