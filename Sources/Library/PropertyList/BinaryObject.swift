/// The head of an object in a binary property list.
struct BinaryObject {
    /// The upper half of an object's first byte.
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
    /// The lower half of the first byte: which constant, or the binary logarithm of a size.
    let info: UInt8
    /// Bytes, UTF-16 code units, elements or pairs; 0 for the types without a length.
    let count: Int
    /// Where in the file the content starts.
    let content: Int
}
