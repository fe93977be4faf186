import CMicrohttpd
import Glibc
import HTTPCore

// A libmicrohttpd connection is an opaque pointer; these are its two ends.

extension OpaquePointer {
    var requestHeaders: HeaderFields {
        // A field takes six bytes more than in the head, where colon, blank and line end are four;
        // and the head has the request line besides.
        var headers = HeaderFields(capacity: waypost_header_size(self) + 64)
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values_n(
                self, .HEADER_KIND,
                { headers, _, name, nameSize, value, valueSize in
                    let valueSize =
                        isTransferEncoding(name, nameSize)
                        ? valueSize : sizeWithoutBlanks(value, valueSize)
                    headers?.assumingMemoryBound(to: HeaderFields.self).pointee.append(
                        UnsafeRawBufferPointer(start: name, count: nameSize),
                        UnsafeRawBufferPointer(start: value, count: valueSize))
                    return .YES
                }, headers)
        }
        return headers
    }

    var peer: NetworkAddress? {
        waypost_client_address(self).flatMap(NetworkAddress.init)
    }

    func queue(_ response: Response) -> MHD_Result {
        guard let message = response.body.makeMessage() else { return .NO }
        defer { MHD_destroy_response(message) }
        response.headers.withRawFields { fields in
            for (name, value) in fields {
                // There is a NUL behind either.
                _ = MHD_add_response_header(
                    message, name.baseAddress?.assumingMemoryBound(to: CChar.self),
                    value.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        }
        return MHD_queue_response(self, UInt32(response.status.code), message)
    }
}

/// libmicrohttpd leaves the blanks behind a value, which are not part of it (RFC 9110, 5.5).
private func sizeWithoutBlanks(_ start: UnsafePointer<CChar>?, _ size: Int) -> Int {
    let characters = UnsafeBufferPointer(start: start, count: size)
    let last = characters.lastIndex { $0 != 0x20 && $0 != 0x09 }
    return last.map { $0 + 1 } ?? 0
}

/// Returns whether a field says how the body is framed. libmicrohttpd compares its value with the blanks
/// behind it, and reads a body to the end of the connection where that is not `chunked`.
private func isTransferEncoding(_ name: UnsafePointer<CChar>?, _ size: Int) -> Bool {
    guard size == 17, let name else { return false }
    return strncasecmp(name, "Transfer-Encoding", size) == 0
}

extension Method {
    /// - Parameter name: as libmicrohttpd tells it. Of those that nearly all have no string is made.
    init(_ name: UnsafePointer<CChar>) {
        if strcmp(name, "GET") == 0 {
            self = .get
        } else if strcmp(name, "POST") == 0 {
            self = .post
        } else {
            self.init(String(cString: name))
        }
    }
}
