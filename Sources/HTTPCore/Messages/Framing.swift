/// Refuses what makes it doubtful where a request ends or whom it is for, before anything of it is
/// believed: what a lenient parser and a proxy before it read in two ways is how requests are
/// smuggled (RFC 9112, sections 3.2, 5 and 6.3; RFC 9110, section 5.5).
public enum Framing {
    /// - Parameters:
    ///   - target: as it came.
    ///   - version: `HTTP/1.1`, `HTTP/1.0`.
    /// - Returns: what is wrong; nil if nothing is.
    public static func problem(
        target: String, version: String, headers: HeaderFields
    ) -> Problem? {
        let defect =
            targetDefect(target) ?? fieldDefect(headers) ?? hostDefect(headers, version)
            ?? lengthDefect(headers, version)
        return defect.map { Problem(.malformedRequest, $0, headers: ["Connection": "close"]) }
    }

    private static func targetDefect(_ target: String) -> String? {
        target.isMadeOf { (0x21...0x7E).contains($0) }
            ? nil : "the request target has a byte that must be percent-encoded"
    }

    private static func fieldDefect(_ headers: HeaderFields) -> String? {
        for field in headers.fields {
            if field.name.isEmpty || !field.name.isMadeOf(isTokenByte) {
                return "a header name is not a token"
            }
            if !field.value.isMadeOf({ ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }) {
                return "the value of \(field.name) has a control character"
            }
        }
        return nil
    }

    private static func hostDefect(_ headers: HeaderFields, _ version: String) -> String? {
        switch headers.count(of: "Host") {
        case 0: version == "HTTP/1.0" ? nil : "the Host header is missing"
        case 1: nil
        default: "there are several Host headers"
        }
    }

    private static func lengthDefect(_ headers: HeaderFields, _ version: String) -> String? {
        let length = headers["Content-Length"]
        if let length {
            guard headers.count(of: "Content-Length") == 1 else {
                return "there are several Content-Length headers"
            }
            guard !length.isEmpty, length.isMadeOf({ (0x30...0x39).contains($0) }) else {
                return "Content-Length is not a number of bytes"
            }
        }
        guard headers["Transfer-Encoding"] != nil else { return nil }
        guard length == nil else {
            return "Content-Length and Transfer-Encoding exclude each other"
        }
        guard headers.only("Transfer-Encoding")?.lowercased() == "chunked", version != "HTTP/1.0"
        else { return "the only Transfer-Encoding that is taken is chunked, in HTTP/1.1" }
        return nil
    }
}

extension String {
    /// Without decoding it.
    fileprivate func isMadeOf(_ isAllowed: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) }
            ?? utf8.allSatisfy(isAllowed)
    }
}

/// RFC 9110, section 5.6.2.
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        true
    default:
        "!#$%&'*+.^_`|~".utf8.contains(byte)
    }
}
