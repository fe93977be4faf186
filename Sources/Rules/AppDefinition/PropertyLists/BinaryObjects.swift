import Foundation

/// The objects of a binary property list, which are accessed by number. Every access is checked
/// against the bounds of the file.
///
/// The file consists of `bplist00`, the objects, a table of the objects' offsets, and a trailer of
/// 32 bytes. The trailer has the position of the table, and the sizes of an offset and of an object
/// number. All integers are big-endian.
struct BinaryObjects {
    /// The number of the top-level object.
    let top: Int
    /// The file's size in bytes.
    var size: Int { bytes.count }

    private let bytes: [UInt8]
    private let count: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int
    private static let headerSize = 8
    private static let trailerSize = 32

    init(_ bytes: [UInt8]) throws(UnreadablePropertyList) {
        guard bytes.starts(with: "bplist00".utf8) else {
            throw .malformedBinary("a version other than bplist00")
        }
        let trailer = bytes.count - Self.trailerSize
        guard trailer >= Self.headerSize else { throw .malformedBinary("no room for a trailer") }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard
            1...8 ~= offsetSize, 1...8 ~= referenceSize,
            let count = Self.integer(in: bytes[(trailer + 8)..<(trailer + 16)]),
            let top = Self.integer(in: bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.integer(in: bytes[(trailer + 24)..<(trailer + 32)]),
            top < count, Self.headerSize..<trailer ~= table,
            count <= (trailer - table) / offsetSize
        else { throw .malformedBinary("a trailer that does not fit the file") }
        self.count = count
        self.top = top
        self.table = table
    }

    func object(at index: Int) throws(UnreadablePropertyList) -> BinaryObject {
        guard index < count else { throw .malformedBinary("a reference to no object") }
        let entry = table + index * offsetSize
        guard
            let offset = Self.integer(in: bytes[entry..<(entry + offsetSize)]),
            Self.headerSize..<table ~= offset
        else { throw .malformedBinary("an object outside of the file") }
        let marker = bytes[offset]
        guard let type = BinaryObject.ObjectType(rawValue: marker >> 4) else {
            throw .malformedBinary("an object that a plain property list cannot hold")
        }
        let info = marker & 0x0F
        var content = offset + 1
        var length = 0
        switch type {
        case .constant, .integer, .real, .date:
            break
        case .data, .asciiString, .utf16String, .array, .dictionary:
            length = Int(info)
            if info == 0x0F { (length, content) = try longCount(at: content) }
        }
        return BinaryObject(type: type, info: info, count: length, content: content)
    }

    /// Returns the numbers of the objects that an array or a dictionary contains.
    /// - Parameter count: the number of elements of the array. For a dictionary, the number of keys
    ///   and values together.
    func references(
        of object: BinaryObject, count: Int
    ) throws(UnreadablePropertyList) -> [Int] {
        let content = try slice(from: object.content, count: count, size: referenceSize)
        var references: [Int] = []
        references.reserveCapacity(count)
        for start in stride(from: content.startIndex, to: content.endIndex, by: referenceSize) {
            let reference = Self.integer(in: content[start..<(start + referenceSize)])
            guard let reference else { throw .malformedBinary("a reference to no object") }
            references.append(reference)
        }
        return references
    }

    /// Returns `count` units of `size` bytes each, from the offset `start` of the file.
    /// - Throws: an error if the bytes are not all before the table of offsets.
    func slice(
        from start: Int, count: Int, size: Int
    ) throws(UnreadablePropertyList) -> ArraySlice<UInt8> {
        guard start <= table, count <= (table - start) / size else {
            throw .malformedBinary("an object that is longer than the file")
        }
        return bytes[start..<(start + count * size)]
    }

    /// Reads the length of an object whose first byte has too few bits for the length. The length
    /// is then an integer object after the first byte.
    /// - Parameter start: the offset of this integer object in the file.
    /// - Returns: the length, and the offset at which the object's content starts.
    private func longCount(at start: Int) throws(UnreadablePropertyList) -> (Int, content: Int) {
        let marker = try slice(from: start, count: 1, size: 1)[start]
        let size = 1 << Int(marker & 0x0F)
        guard marker >> 4 == BinaryObject.ObjectType.integer.rawValue, size <= 8 else {
            throw .malformedBinary("a length that is not an integer")
        }
        guard let count = Self.integer(in: try slice(from: start + 1, count: size, size: 1)) else {
            throw .malformedBinary("an object that is longer than the file")
        }
        return (count, start + 1 + size)
    }

    /// Decodes a big-endian unsigned integer.
    /// - Returns: nil if the integer does not fit `Int`.
    private static func integer(in bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}

extension UnreadablePropertyList {
    static func malformedBinary(_ finding: String) -> UnreadablePropertyList {
        UnreadablePropertyList(reason: "not a valid binary property list: it has \(finding)")
    }
}

/// The type, length and position of an object in a binary property list.
struct BinaryObject {
    /// The type of an object, from the upper four bits of its first byte.
    enum ObjectType: UInt8 {
        case constant = 0x0
        case integer = 0x1
        case real = 0x2
        case date = 0x3
        case data = 0x4
        case asciiString = 0x5
        case utf16String = 0x6
        case array = 0xA
        case dictionary = 0xD
    }

    let type: ObjectType
    /// The lower four bits of the object's first byte. They distinguish the constants null, false
    /// and true. For a number, they are the binary logarithm of its size in bytes.
    let info: UInt8
    /// The length of the object: the number of bytes (for data and ASCII strings), UTF-16 code
    /// units (for other strings), elements (for arrays) or pairs (for dictionaries); 0 for all
    /// other types.
    let count: Int
    /// The offset in the file at which the object's content starts.
    let content: Int
}
