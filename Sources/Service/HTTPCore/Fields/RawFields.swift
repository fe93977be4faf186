/// An iterator over encoded header fields. The encoding of a field consists of the size of its name
/// and the size of its value, in four bytes each, then the name, a NUL, the value, and a NUL. The
/// NULs let C functions use the name and the value without a copy.
///
/// An instance is valid only during the call of the closure that receives it.
public struct RawFields: Sequence, IteratorProtocol {
    /// The number of bytes that the encoding adds to a name and a value: two sizes and two NULs.
    static let overhead = 10

    /// The name and the value of a field, without the terminating NULs.
    public typealias Field = (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    public mutating func next() -> Field? {
        guard rest.count >= Self.overhead, let start = rest.baseAddress else { return nil }
        let nameSize = Int(start.loadUnaligned(as: UInt32.self))
        let valueSize = Int(start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        // The sizes need no check, because only `write` makes these bytes.
        let value = 8 &+ nameSize &+ 1
        let end = value &+ valueSize &+ 1
        rest = UnsafeRawBufferPointer(start: start + end, count: rest.count &- end)
        return (
            UnsafeRawBufferPointer(start: start + 8, count: nameSize),
            UnsafeRawBufferPointer(start: start + value, count: valueSize)
        )
    }

    /// Writes an encoded field.
    /// - Parameter place: memory for at least `name.count + value.count + overhead` bytes.
    static func write(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        to place: UnsafeMutableRawPointer
    ) {
        place.storeBytes(of: UInt32(name.count), as: UInt32.self)
        place.storeBytes(of: UInt32(value.count), toByteOffset: 4, as: UInt32.self)
        var end = place + 8
        for text in [name, value] {
            if let start = text.baseAddress { end.copyMemory(from: start, byteCount: text.count) }
            end += text.count
            end.storeBytes(of: 0, as: UInt8.self)
            end += 1
        }
    }
}
