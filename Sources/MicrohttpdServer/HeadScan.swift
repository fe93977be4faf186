import CMicrohttpd
import Glibc
import HTTPCore

/// One pass over the head of a request, through the parts that libmicrohttpd reports. It finds the
/// fields, and whether the parts are all that was received.
///
/// libmicrohttpd ends each part with a NUL in the memory that the head was received into, and
/// reports the parts as C strings. The next part begins behind the separator: a blank, a colon and
/// any blanks, or CR LF. If it begins elsewhere, the client has sent something that the strings do
/// not show: a NUL, a folded line, a second blank in the request line, a field without a name, or a
/// line that ends with LF alone.
struct HeadScan {
    /// The fields, with the blanks behind their values removed.
    private(set) var headers: HeaderFields
    /// Whether every byte of the head belongs to a part of it or separates two parts.
    var isWhole: Bool { isContiguous && next &+ 2 == end }

    private var isContiguous: Bool
    /// The address where the next part should begin.
    private var next: UInt
    /// The address behind the head.
    private let end: UInt

    /// - Parameters:
    ///   - path: the target up to its query.
    ///   - targetSize: the size of the whole target in bytes, query included.
    ///   - version: the HTTP version; libmicrohttpd accepts only versions of eight bytes.
    ///   - size: the size of the whole head in bytes.
    init(
        path: UnsafePointer<CChar>, targetSize: Int, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>, size: Int, of handle: OpaquePointer
    ) {
        let methodStart = UInt(bitPattern: method)
        let pathStart = UInt(bitPattern: path)
        let versionStart = UInt(bitPattern: version)
        // A field takes six bytes more here than in the head, where colon, blank and line end take
        // four. The size of the request line, which `size` includes, mostly makes up for that.
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
        // libmicrohttpd passes over the blanks behind the colon, and over nothing else.
        isContiguous =
            isContiguous && nameStart == next && valueStart > nameStart &+ UInt(name.count)
        next = valueStart &+ UInt(value.count) &+ 2
        // Blanks behind a value are no part of it (RFC 9110, 5.5), but libmicrohttpd keeps them. It
        // does not recognize `chunked` with a blank and reads that body up to the connection's end.
        // So the blanks of `Transfer-Encoding` stay, and `Framing` refuses the request.
        let last =
            isTransferEncoding(name)
            ? value.indices.last : value.lastIndex { $0 != 0x20 && $0 != 0x09 }
        headers.append(name, UnsafeRawBufferPointer(rebasing: value[..<(last.map { $0 + 1 } ?? 0)]))
    }

    private func isTransferEncoding(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count == 17, let start = name.baseAddress else { return false }
        return strncasecmp(
            start.assumingMemoryBound(to: CChar.self), "Transfer-Encoding", name.count) == 0
    }
}
