import CMicrohttpd
import Glibc
import HTTPCore

/// A head that was read and found good, and what it is known by: its parts as libmicrohttpd tells
/// them, and its size. Only blanks between the parts may differ, which mean nothing.
final class KnownHead: Sendable {
    /// In bytes: a larger head is not kept.
    private static let sizeLimit = 1024

    let head: RequestHead
    /// Whether a body follows.
    let announcesBody: Bool
    /// Of the whole head as it came, in bytes.
    private let size: Int
    /// The target, the method and the version, with a NUL behind each.
    private let bytes: [UInt8]
    private let methodStart, versionStart: Int

    /// - Returns: nil if it is too large to be kept.
    init?(_ head: RequestHead, target: String, version: String, announcesBody: Bool, size: Int) {
        guard size <= Self.sizeLimit else { return nil }
        self.head = head
        self.announcesBody = announcesBody
        self.size = size
        var bytes: [UInt8] = []
        bytes += target.utf8
        bytes.append(0)
        methodStart = bytes.count
        bytes += head.method.name.utf8
        bytes.append(0)
        versionStart = bytes.count
        bytes += version.utf8
        bytes.append(0)
        self.bytes = bytes
    }

    /// Whether the head that a connection has read is this one again.
    func isSame(
        _ target: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>, _ size: Int, of handle: OpaquePointer
    ) -> Bool {
        guard size == self.size else { return false }
        let isSameLine = bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return isText(target, at: start) && isText(method, at: start + methodStart)
                && isText(version, at: start + versionStart)
        }
        return isSameLine
            && head.headers.withRawFields { fields in
                var rest = Rest(fields: fields)
                MHD_get_connection_values_n(
                    handle, .HEADER_KIND,
                    { rest, _, name, nameSize, value, valueSize in
                        guard let rest = rest?.assumingMemoryBound(to: Rest.self) else {
                            return .NO
                        }
                        rest.pointee.drop(
                            UnsafeRawBufferPointer(start: name, count: nameSize),
                            UnsafeRawBufferPointer(start: value, count: valueSize))
                        return rest.pointee.isSame ? .YES : .NO
                    }, &rest)
                return rest.isSame && rest.fields.next() == nil
            }
    }

    /// What is still to be compared.
    private struct Rest {
        var fields: RawFields
        /// Whether all that came was what was next.
        var isSame = true

        mutating func drop(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
            guard let next = fields.next() else {
                isSame = false
                return
            }
            isSame = isSame && areEqual(next.name, name) && areEqual(next.value, value)
        }
    }
}

private func isText(_ text: UnsafePointer<CChar>, at place: UnsafeRawPointer) -> Bool {
    strcmp(text, place.assumingMemoryBound(to: CChar.self)) == 0
}

/// Takes the same time wherever the two differ: one of them may be somebody's token. Only whether
/// they have the same length may be told by the time.
private func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard one.count == other.count else { return false }
    func difference<Word: FixedWidthInteger>(at index: Int, _: Word.Type) -> UInt64 {
        UInt64(
            one.loadUnaligned(fromByteOffset: index, as: Word.self)
                ^ other.loadUnaligned(fromByteOffset: index, as: Word.self))
    }
    var all: UInt64 = 0
    if one.count >= 8 {
        var index = 0
        while index < one.count - 8 {
            all |= difference(at: index, UInt64.self)
            index += 8
        }
        // These overlap with those before.
        all |= difference(at: one.count - 8, UInt64.self)
    } else {
        for index in 0..<one.count { all |= difference(at: index, UInt8.self) }
    }
    return all == 0
}
