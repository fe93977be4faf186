import Glibc
import HTTPCore

extension Response {
    /// Returns the head of a stream's response: the status line and the header fields (RFC 9112,
    /// section 2.1).
    /// - Parameter isChunked: whether the client understands the chunked transfer coding
    ///   (HTTP/1.1).
    package func streamHead(isChunked: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) OK\r\nDate: \(Self.date())\r\nConnection: close\r\n"
        if isChunked { text += "Transfer-Encoding: chunked\r\n" }
        var head = Array(text.utf8)
        headers.withRawFields { fields in
            for (name, value) in fields {
                head += name
                head += [0x3A, 0x20]
                head += value
                head += [0x0D, 0x0A]
            }
        }
        return head + [0x0D, 0x0A]
    }

    /// Returns the current time in the format of the `Date` field (RFC 9110, section 5.6.7).
    private static func date() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            // The process runs in the C locale, whose names of days and months are English.
            let count = strftime(text.baseAddress, 64, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
