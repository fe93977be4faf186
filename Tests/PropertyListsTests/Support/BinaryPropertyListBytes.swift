/// Builds a binary property list from the bytes of its objects, which need not be valid.
struct BinaryPropertyListBytes {
    var objects: [[UInt8]]
    var offsetSize: UInt8 = 4
    var referenceSize: UInt8 = 1
    /// The numbers in the trailer if they are to be wrong; by default they are right.
    var objectCount: UInt64?
    var top: UInt64 = 0
    var table: UInt64?

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = self.table ?? UInt64(bytes.count)
        for offset in offsets { bytes += Self.bigEndian(UInt32(offset)) }
        bytes += [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
        bytes += Self.bigEndian(objectCount ?? UInt64(objects.count))
        bytes += Self.bigEndian(top)
        bytes += Self.bigEndian(table)
        return bytes
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
