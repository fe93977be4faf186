/// Writes JSON into a byte buffer, without an intermediate tree: the hot path of every answer.
///
/// Members and elements are separated as they come; the caller opens and closes what holds them.
///
/// Inlinable where other modules' generic sequences and closures are then specialised, and where names
/// are known when they are compiled: a name is then two or three stores.
public struct JSONWriter: ~Copyable {
    // Memory of its own: unlike an array it is never shared, and never has to look whether it is.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int
    /// Whether the next member or element follows another one.
    @usableFromInline var needsComma = false

    public init(capacity: Int = 2048) {
        self.capacity = max(capacity, 64)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    // MARK: Containers

    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    @inlinable
    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        close(UInt8(ascii: "]"))
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

    /// - Parameter name: written as it is: it must need no escape.
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

    /// A name that is known only at run time.
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

    /// - Precondition: finite, as every number in JSON is.
    public mutating func real(_ value: Double) {
        precondition(value.isFinite)
        separate()
        append(value.description)
        needsComma = true
    }

    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { text in
            if capacity - count < text.count + 3 { grow(by: text.count + 3) }
            separate()
            append(UInt8(ascii: "\""))
            appendEscaped(text)
        }
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    // MARK: Members, in one call

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    /// A string of a text that needs no escape, and a number: `"vc12"`.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ prefix: StaticString, _ number: Int) {
        self.name(name)
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

    /// - Parameters:
    ///   - length: the most that is written.
    ///   - write: gets where to write to, and returns where it has ended.
    @inline(__always)
    private mutating func append(
        upTo length: Int, _ write: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
    ) {
        if capacity - count < length { grow(by: length) }
        count = write(start + count) - start
    }

    @usableFromInline
    mutating func grow(by length: Int) {
        capacity = max(2 * capacity, count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
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
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        guard rest >= 10 else { return append(UInt8(ascii: "0") + UInt8(rest)) }
        var count = 0
        var power: UInt = 1
        while count < 19, rest >= power {
            count += 1
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        if rest >= 10_000_000_000_000_000_000 { count = 20 }
        append(upTo: count) { start in
            for index in stride(from: count - 1, through: 0, by: -1) {
                start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return start + count
        }
    }

    /// Copies in runs between the bytes that must be escaped.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while let index = Self.nextToEscape(in: text, from: start) {
            append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: text[index])
            start = index + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private static func nextToEscape(
        in text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var index = start
        // Eight at a time, as nearly all text needs no escape.
        while index + 8 <= text.count {
            let bytes = UnsafeRawBufferPointer(text).loadUnaligned(
                fromByteOffset: index, as: UInt64.self)
            if hasByteToEscape(bytes) { break }
            index += 8
        }
        while index < text.count {
            if mustEscape(text[index]) { return index }
            index += 1
        }
        return nil
    }

    /// Whether one of the eight bytes must be escaped; also true where it is not sure, and they are then
    /// looked at one by one.
    private static func hasByteToEscape(_ bytes: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotes = bytes ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = bytes ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let controls = bytes &- ones &* 0x20
        return
            ((controls & ~bytes) | ((quotes &- ones) & ~quotes)
            | ((backslashes &- ones) & ~backslashes)) & highs != 0
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
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
