/// Writes JSON into a byte buffer, without an intermediate tree: the hot path of every answer.
///
/// Members and elements are separated as they come; the caller opens and closes what holds them.
///
/// Containers are inlinable: other modules' generic sequences and closures are then specialised.
public struct JSONWriter: ~Copyable {
    public var bytes: [UInt8] { buffer }
    @usableFromInline var buffer: [UInt8] = []
    /// Whether the next member or element follows another one.
    @usableFromInline var needsComma = false

    public init(capacity: Int = 1024) {
        buffer.reserveCapacity(capacity)
    }

    // MARK: Containers

    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        separate()
        buffer.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        buffer.append(UInt8(ascii: "}"))
        needsComma = true
    }

    @inlinable
    public mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        separate()
        buffer.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { write(&self, element) }
        buffer.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// - Parameter name: written as it is: it must need no escape.
    public mutating func name(_ name: StaticString) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { buffer.append(contentsOf: $0) }
        buffer.append(UInt8(ascii: "\""))
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A name that is known only at run time.
    public mutating func name(escaping name: String) {
        string(name)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    public mutating func null() {
        literal("null")
    }

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
        buffer.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    public mutating func string(_ value: String) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { appendEscaped($0) }
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
    }

    // MARK: Members, in one call

    public mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    public mutating func member(_ name: StaticString, _ value: Int) {
        self.name(name)
        integer(value)
    }

    public mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    public mutating func member(_ name: StaticString, _ value: [String]) {
        self.name(name)
        array(value) { $0.string($1) }
    }

    // MARK: Bytes

    @inlinable
    mutating func separate() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { buffer.append(contentsOf: $0) }
        needsComma = true
    }

    private mutating func appendDigits(of value: Int) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        let start = buffer.count
        var rest = value.magnitude
        repeat {
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        buffer[start...].reverse()
    }

    /// Copies in runs between the bytes that must be escaped.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var run = 0
        for index in text.indices where Self.mustEscape(text[index]) {
            buffer.append(contentsOf: text[run..<index])
            appendEscape(of: text[index])
            run = index + 1
        }
        buffer.append(contentsOf: text[run...])
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(of byte: UInt8) {
        buffer.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.append(byte)
        case 0x08: buffer.append(UInt8(ascii: "b"))
        case 0x09: buffer.append(UInt8(ascii: "t"))
        case 0x0A: buffer.append(UInt8(ascii: "n"))
        case 0x0C: buffer.append(UInt8(ascii: "f"))
        case 0x0D: buffer.append(UInt8(ascii: "r"))
        default:
            buffer.append(contentsOf: "u00".utf8)
            buffer.append(Self.hexadecimalDigits[Int(byte >> 4)])
            buffer.append(Self.hexadecimalDigits[Int(byte & 15)])
        }
    }

    private static let hexadecimalDigits = Array("0123456789abcdef".utf8)
}
