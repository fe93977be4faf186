/// Encodes values as the bytes of a journal, which stores the history of a session.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(64) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Writes a number as LEB128: seven bits to a byte, the low bits first, the high bit set in all
    /// bytes but the last. A negative number is written as 0.
    mutating func number(_ number: Int) { write(UInt(max(number, 0))) }

    /// Writes a number that may be negative. The lowest bit of the encoded number holds the sign
    /// (zigzag encoding).
    mutating func signed(_ number: Int) {
        write(UInt(bitPattern: number) << 1 ^ UInt(bitPattern: number >> (Int.bitWidth - 1)))
    }

    private mutating func write(_ number: UInt) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func text(_ text: String) {
        number(text.utf8.count)
        bytes += text.utf8
    }

    /// Writes bytes without their count. The reader must know how many bytes to read.
    mutating func raw(_ value: some Collection<UInt8>) { bytes += value }

    mutating func optional<Value>(
        _ value: Value?, _ write: (inout ByteWriter, Value) -> Void
    ) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func array<Element>(
        _ elements: [Element], _ write: (inout ByteWriter, Element) -> Void
    ) {
        number(elements.count)
        for element in elements { write(&self, element) }
    }

    mutating func texts(_ texts: [String]) { array(texts) { $0.text($1) } }

    mutating func texts(_ texts: [String: String]) {
        array(texts.sorted { $0.key < $1.key }) { writer, text in
            writer.text(text.key)
            writer.text(text.value)
        }
    }
}

/// The error for bytes that `ByteWriter` cannot have written.
struct DamagedBytes: Error {}

/// Decodes values from the bytes of a journal. The methods throw `DamagedBytes` if the bytes are
/// damaged.
struct ByteReader {
    /// The largest value that `number()` and `time()` accept. Arithmetic on such values cannot
    /// overflow.
    static let limit = 1 << 56

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    /// Returns the next byte without reading it; nil at the end.
    func peek() -> UInt8? { bytes.first }

    mutating func byte() throws(DamagedBytes) -> UInt8 {
        guard let byte = bytes.popFirst() else { throw DamagedBytes() }
        return byte
    }

    mutating func flag() throws(DamagedBytes) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw DamagedBytes() }
        return byte == 1
    }

    mutating func number() throws(DamagedBytes) -> Int {
        let number = try word()
        guard number <= UInt(Self.limit) else { throw DamagedBytes() }
        return Int(number)
    }

    mutating func signed() throws(DamagedBytes) -> Int {
        let word = try word()
        return Int(bitPattern: word >> 1) ^ -Int(bitPattern: word & 1)
    }

    private mutating func word() throws(DamagedBytes) -> UInt {
        var number: UInt = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw DamagedBytes() }
            number |= UInt(byte & 0x7F) << UInt(shift)
            if byte < 0x80 { return number }
        }
        throw DamagedBytes()
    }

    mutating func text() throws(DamagedBytes) -> String {
        guard let text = String(validating: try raw(try number()), as: UTF8.self) else {
            throw DamagedBytes()
        }
        return text
    }

    mutating func raw(_ count: Int) throws(DamagedBytes) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw DamagedBytes() }
        let value = bytes.prefix(count)
        bytes.removeFirst(count)
        return value
    }

    mutating func optional<Value>(
        _ read: (inout ByteReader) throws(DamagedBytes) -> Value
    ) throws(DamagedBytes) -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func array<Element>(
        _ read: (inout ByteReader) throws(DamagedBytes) -> Element
    ) throws(DamagedBytes) -> [Element] {
        let count = try number()
        // Each element has at least one byte.
        guard count <= bytes.count else { throw DamagedBytes() }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    mutating func texts() throws(DamagedBytes) -> [String] {
        try array { reader throws(DamagedBytes) in try reader.text() }
    }

    mutating func textsByName() throws(DamagedBytes) -> [String: String] {
        let pairs = try array { reader throws(DamagedBytes) in
            (try reader.text(), try reader.text())
        }
        return Dictionary(pairs) { $1 }
    }

    /// Reads an enum value, which is stored as the text of its raw value.
    mutating func choice<Choice: RawRepresentable<String>>() throws(DamagedBytes) -> Choice {
        guard let choice = Choice(rawValue: try text()) else { throw DamagedBytes() }
        return choice
    }
}
