import CMicrohttpd
import Glibc
import HTTPCore

/// Reads the fields in a head, and checks that libmicrohttpd has reported every byte of the head.
///
/// libmicrohttpd reports the parts of a head as C strings: the words of the request line, and the
/// names and values of the fields. The strings lie in the memory into which the head was received.
/// In a valid head, each part begins right after the separator that follows the previous part: a
/// space, a colon and any spaces or tabs, or CR LF. If a part begins elsewhere, the client has sent
/// something that the strings do not show: a NUL, a folded line, a second space in the request
/// line, a field without a name, or a line that ends with LF alone.
struct HeadScan {
    /// The header fields. Spaces and tabs after a value are removed, except in `Transfer-Encoding`.
    private(set) var headers: HeaderFields
    /// Whether every byte of the head belongs to a part or to a separator between two parts.
    var isWhole: Bool { isContiguous && next &+ 2 == end }

    private var isContiguous: Bool
    /// The address at which the next part begins in a valid head.
    private var next: UInt
    /// The address after the last byte of the head.
    private let end: UInt

    /// Reads the head of a request.
    /// - Parameters:
    ///   - path: the target up to its query.
    ///   - targetSize: the size of the whole target in bytes, with the query.
    ///   - version: the HTTP version; libmicrohttpd accepts only versions of eight bytes.
    ///   - size: the size of the whole head in bytes.
    ///   - handle: libmicrohttpd's handle of the connection.
    init(
        path: UnsafePointer<CChar>, targetSize: Int, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>, size: Int, of handle: OpaquePointer
    ) {
        let methodStart = UInt(bitPattern: method)
        let pathStart = UInt(bitPattern: path)
        let versionStart = UInt(bitPattern: version)
        // The encoding adds ten bytes to each field instead of four in the head (colon, space, CR
        // LF). The request line, which is not encoded, mostly makes up for the difference.
        headers = HeaderFields(capacity: size + 64)
        isContiguous =
            methodStart &+ UInt(strlen(method)) &+ 1 == pathStart
            && pathStart &+ UInt(targetSize) &+ 1 == versionStart
        next = versionStart &+ 8 &+ 2
        end = methodStart &+ UInt(size)
        withUnsafeMutablePointer(to: &self) { scan in
            _ = MHD_get_connection_values_n(
                handle, .HEADER_KIND,
                { scan, _, name, nameSize, value, valueSize in
                    scan?.assumingMemoryBound(to: HeadScan.self).pointee.add(
                        UnsafeRawBufferPointer(start: name, count: nameSize),
                        UnsafeRawBufferPointer(start: value, count: valueSize))
                    return .YES
                }, scan)
        }
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let nameStart = UInt(bitPattern: name.baseAddress)
        let valueStart = UInt(bitPattern: value.baseAddress)
        // libmicrohttpd skips spaces and tabs after the colon, and nothing else.
        isContiguous =
            isContiguous && nameStart == next && valueStart > nameStart &+ UInt(name.count)
        next = valueStart &+ UInt(value.count) &+ 2
        // Spaces and tabs after a value do not belong to the value (RFC 9110, 5.5), but
        // libmicrohttpd keeps them, and does not recognize `chunked` before a space. The spaces of
        // `Transfer-Encoding` therefore stay, so that `Framing` refuses the request.
        let last =
            isTransferEncoding(name)
            ? value.indices.last : value.lastIndex { $0 != 0x20 && $0 != 0x09 }
        headers.append(name, UnsafeRawBufferPointer(rebasing: value[..<(last.map { $0 + 1 } ?? 0)]))
    }

    private func isTransferEncoding(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count == 17, let start = name.baseAddress else { return false }
        return strncasecmp(start.assumingMemoryBound(to: CChar.self), "Transfer-Encoding", 17) == 0
    }
}
