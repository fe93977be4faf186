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
        target.hasOnly { $0 &- 0x21 < 0x5E }
            ? nil : "the request target has a byte that must be percent-encoded"
    }

    private static func fieldDefect(_ headers: HeaderFields) -> String? {
        for field in headers.fields {
            if field.name.isEmpty || !field.name.hasOnly(isTokenByte) {
                return "a header name is not a token"
            }
            if field.value.hasControlCharacter {
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
            guard !length.isEmpty, length.hasOnly({ $0 &- 0x30 < 10 }) else {
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
    /// Other than a tab.
    fileprivate var hasControlCharacter: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            var index = 0
            // Eight at a time, until there may be one: less than 0x20, or 0x7F.
            let ones: UInt64 = 0x0101_0101_0101_0101
            while index + 8 <= raw.count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let deletes = word ^ (ones &* 0x7F)
                let found = (word &- ones &* 0x20) & ~word | (deletes &- ones) & ~deletes
                if found & (ones &* 0x80) != 0 { break }
                index += 8
            }
            return !bytes[index...].allSatisfy(Self.isNoControlCharacter)
        } ?? !utf8.allSatisfy(Self.isNoControlCharacter)
    }

    private static func isNoControlCharacter(_ byte: UInt8) -> Bool {
        (byte >= 0x20 || byte == 0x09) && byte != 0x7F
    }

    /// Whether all bytes are allowed. Looks at all of them, several at a time.
    @inline(__always)
    fileprivate func hasOnly(_ isAllowed: (UInt8) -> Bool) -> Bool {
        let isMadeOf = utf8.withContiguousStorageIfAvailable { bytes in
            var others: UInt8 = 0
            for byte in bytes { others |= isAllowed(byte) ? 0 : 1 }
            return others == 0
        }
        return isMadeOf ?? utf8.allSatisfy(isAllowed)
    }
}

/// RFC 9110, section 5.6.2.
func isTokenByte(_ byte: UInt8) -> Bool {
    // A bit for each character: letters, digits and !#$%&'*+-.^_`|~
    let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
}
