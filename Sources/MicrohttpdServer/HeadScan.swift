import CMicrohttpd
import Glibc
import HTTPCore

/// One pass over a head as libmicrohttpd tells its parts: whether the parts are all that was received.
///
/// libmicrohttpd ends each part with a NUL in the memory that the head was received into, and tells the
/// parts as C strings. The next part begins behind the separator: a blank, a colon and any blanks, or
/// CR LF. If it begins elsewhere, the strings do not show all that the client has sent: a NUL, a folded
/// line, a second blank in the request line, a field without a name, or a line that ends with LF alone.
struct HeadScan {
    /// Whether every byte of the head belongs to a part of it or separates two parts.
    var isWhole: Bool { isContiguous && next &+ 2 == end }

    private var isContiguous: Bool
    /// The address where the next part should begin.
    private var next: UInt
    /// The address behind the head.
    private var end: UInt

    /// - Parameters:
    ///   - path: the target up to its query.
    ///   - targetSize: in bytes, with the query.
    ///   - version: eight bytes, to which libmicrohttpd holds all clients.
    ///   - size: of the whole head, in bytes.
    init(
        path: UnsafePointer<CChar>, targetSize: Int, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>, size: Int, of handle: OpaquePointer
    ) {
        let methodStart = UInt(bitPattern: method)
        let pathStart = UInt(bitPattern: path)
        let versionStart = UInt(bitPattern: version)
        isContiguous =
            methodStart &+ UInt(strlen(method)) &+ 1 == pathStart
            && pathStart &+ UInt(targetSize) &+ 1 == versionStart
        next = versionStart &+ 8 &+ 2
        end = methodStart &+ UInt(size)
        MHD_get_connection_values_n(
            handle, .HEADER_KIND,
            { scan, _, name, nameSize, value, valueSize in
                guard let scan, let name, let value else { return .NO }
                scan.assumingMemoryBound(to: HeadScan.self).pointee.add(
                    UnsafeRawBufferPointer(start: name, count: nameSize),
                    UnsafeRawBufferPointer(start: value, count: valueSize))
                return .YES
            }, &self)
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let nameStart = UInt(bitPattern: name.baseAddress)
        let valueStart = UInt(bitPattern: value.baseAddress)
        // libmicrohttpd passes over the blanks behind the colon, and over nothing else.
        isContiguous =
            isContiguous && nameStart == next && valueStart > nameStart &+ UInt(name.count)
        next = valueStart &+ UInt(value.count) &+ 2
    }
}
