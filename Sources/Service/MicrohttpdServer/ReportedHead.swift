import CMicrohttpd
import Glibc
import HTTPCore

/// The header fields that libmicrohttpd reports, and the size of the head that they account for.
///
/// libmicrohttpd reports the parts of a head as C strings: the words of the request line, and the
/// names and values of the fields. Before version 1, it lets through heads with bytes that the
/// strings do not show: a NUL, a folded line, a second space in the request line. Such a head is
/// larger than its parts and their separators. The spaces and tabs before a value are not reported
/// either, so that a head with more than one for each field is refused, too.
struct ReportedHead {
    /// The header fields. Spaces and tabs after a value are removed, except in `Transfer-Encoding`.
    private(set) var headers: HeaderFields
    /// The size in bytes of a head with these parts and without spaces and tabs before the values.
    private var leastSize: Int
    /// The size of the head in bytes.
    let size: Int

    /// Whether the head has the size of its parts, with at most one space or tab before each value.
    var isWhole: Bool { size >= leastSize && size <= leastSize + headers.count }

    /// Reads the head of a request.
    /// - Parameters:
    ///   - method: the method.
    ///   - targetSize: the size of the whole target in bytes, with the query.
    ///   - handle: libmicrohttpd's handle of the connection.
    init(method: UnsafePointer<CChar>, targetSize: Int, of handle: OpaquePointer) {
        size = waypost_header_size(handle)
        // Two spaces, the version, of which libmicrohttpd accepts only eight bytes, CR LF, and the
        // empty line at the end.
        leastSize = strlen(method) + targetSize + 14
        // The encoding adds ten bytes to each field instead of four in the head (colon, space, CR
        // LF). The request line, which is not encoded, mostly makes up for the difference.
        headers = HeaderFields(capacity: size + 64)
        withUnsafeMutablePointer(to: &self) { head in
            _ = MHD_get_connection_values_n(
                handle, .HEADER_KIND,
                { head, _, name, nameSize, value, valueSize in
                    head?.assumingMemoryBound(to: ReportedHead.self).pointee.add(
                        UnsafeRawBufferPointer(start: name, count: nameSize),
                        UnsafeRawBufferPointer(start: value, count: valueSize))
                    return .YES
                }, head)
        }
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        // The colon and CR LF.
        leastSize += name.count + value.count + 3
        // Spaces and tabs after a value do not belong to the value (RFC 9110, 5.5), but
        // libmicrohttpd 0.9 keeps them, and does not recognize `chunked` before a space. The spaces
        // of `Transfer-Encoding` therefore stay, so that `Framing` refuses the request.
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
