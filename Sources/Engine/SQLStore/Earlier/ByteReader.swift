/// The error for bytes that no version of Waypost has written.
struct DamagedBytes: Error {}

/// Decodes values from the bytes in which earlier versions of Waypost stored the history of a
/// session. The methods throw `DamagedBytes` if the bytes are damaged.
struct ByteReader {
    /// The largest value that `number()` and `time()` accept. Arithmetic on such values cannot
    /// overflow.
    static let limit = 1 << 56

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() throws -> UInt8 {
        guard let byte = bytes.popFirst() else { throw DamagedBytes() }
        return byte
    }

    mutating func flag() throws -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw DamagedBytes() }
        return byte == 1
    }

    mutating func number() throws -> Int {
        let number = try word()
        guard number <= UInt(Self.limit) else { throw DamagedBytes() }
        return Int(number)
    }

    mutating func signed() throws -> Int {
        let word = try word()
        return Int(bitPattern: word >> 1) ^ -Int(bitPattern: word & 1)
    }

    private mutating func word() throws -> UInt {
        var number: UInt = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw DamagedBytes() }
            number |= UInt(byte & 0x7F) << UInt(shift)
            if byte < 0x80 { return number }
        }
        throw DamagedBytes()
    }

    mutating func text() throws -> String {
        guard let text = String(validating: try raw(try number()), as: UTF8.self) else {
            throw DamagedBytes()
        }
        return text
    }

    mutating func raw(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw DamagedBytes() }
        let value = bytes.prefix(count)
        bytes.removeFirst(count)
        return value
    }

    mutating func optional<Value>(
        _ read: (inout ByteReader) throws -> Value
    ) throws -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func array<Element>(
        _ read: (inout ByteReader) throws -> Element
    ) throws -> [Element] {
        let count = try number()
        // Each element has at least one byte.
        guard count <= bytes.count else { throw DamagedBytes() }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    mutating func texts() throws -> [String] {
        try array { try $0.text() }
    }

    mutating func textsByName() throws -> [String: String] {
        Dictionary(try array { (try $0.text(), try $0.text()) }) { $1 }
    }

    /// Reads an enum value, which is stored as the text of its raw value.
    mutating func choice<Choice: RawRepresentable<String>>() throws -> Choice {
        guard let choice = Choice(rawValue: try text()) else { throw DamagedBytes() }
        return choice
    }
}
