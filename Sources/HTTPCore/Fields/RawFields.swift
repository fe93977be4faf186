/// Header fields as bytes: of each the sizes of its name and of its value, in four bytes each, and
/// then the two, with a NUL behind either, so that C can have them as they are.
///
/// It must not be kept beyond the call that it is handed to.
public struct RawFields: Sequence, IteratorProtocol {
    /// In bytes: what a field takes beyond its name and its value.
    static let overhead = 10

    /// The NULs are not part of them.
    public typealias Field = (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    public mutating func next() -> Field? {
        guard rest.count >= Self.overhead else { return nil }
        let nameSize = Int(rest.loadUnaligned(as: UInt32.self))
        let valueSize = Int(rest.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let value = 8 + nameSize + 1
        let end = value + valueSize + 1
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[end...]) }
        return (
            UnsafeRawBufferPointer(rebasing: rest[8..<8 + nameSize]),
            UnsafeRawBufferPointer(rebasing: rest[value..<value + valueSize])
        )
    }

    /// - Parameter place: has room for `overhead` bytes more than both have.
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
