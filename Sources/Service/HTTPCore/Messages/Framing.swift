/// Rejects requests with a head that is too large, an ambiguous length or an ambiguous host, before
/// the service uses any other part of them. If a proxy and a server parse a message differently, an
/// attacker can hide a second request in the message. This attack is called request smuggling (RFC
/// 9112, sections 3.2, 5 and 6.3; RFC 9110, section 5.5).
public enum Framing {
    /// The largest size of a request target, in bytes.
    private static let maximumTargetSize = 8192
    private static let maximumFieldCount = 100

    /// Checks the version, the sizes, the request target, the syntax of the header fields, the host,
    /// and the length of the body.
    /// - Parameters:
    ///   - target: the undecoded request target.
    ///   - version: the HTTP version, such as `HTTP/1.1`.
    ///   - size: the size of the request line and the header fields together, in bytes.
    /// - Returns: the problem to respond with before the connection is closed; nil if the head is
    ///   valid.
    public static func problem(
        target: String, version: String, headers: HeaderFields, size: Int, maximumSize: Int
    ) -> Problem? {
        if version != "HTTP/1.1", version != "HTTP/1.0" {
            return problem("send HTTP/1.1", .versionNotSupported)
        }
        if target.utf8.count > maximumTargetSize {
            return problem(
                "the request target may have \(maximumTargetSize) bytes at most", .uriTooLong)
        }
        if headers.count > maximumFieldCount {
            return problem(
                "there may be \(maximumFieldCount) header fields at most", .headerFieldsTooLarge)
        }
        if size > maximumSize {
            return problem(
                "the request line and the header fields may have \(maximumSize) bytes at most",
                .headerFieldsTooLarge)
        }
        let defect =
            targetDefect(target) ?? fieldDefect(headers) ?? hostDefect(headers, version)
            ?? lengthDefect(headers, version)
        return defect.map { problem($0) }
    }

    /// The problem to respond with if the head of a request is larger than its parts: the words of the
    /// request line, the names and values of the fields, and the separators between them. Examples
    /// are a NUL, the line break of a folded field, and a second space between two parts.
    public static var strayBytes: Problem {
        problem(
            "the head is larger or smaller than its parts: put at most one space before the value of a"
                + " field and one between the words of the request line, end each line with CR LF, send"
                + " no NUL, and do not fold fields")
    }

    private static func problem(
        _ detail: String, _ kind: Problem.Kind = .malformedRequest
    ) -> Problem {
        Problem(kind, detail, headers: ["Connection": "close"])
    }

    private static func targetDefect(_ target: String) -> String? {
        func isAllowed(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5E }
        let isSound = target.utf8.withContiguousStorageIfAvailable { hasOnly($0, isAllowed) }
        return isSound ?? target.utf8.allSatisfy(isAllowed)
            ? nil : "the request target has a byte that must be percent-encoded"
    }

    private static func fieldDefect(_ headers: HeaderFields) -> String? {
        headers.withRawFields { fields in
            for (name, value) in fields {
                if name.isEmpty || !hasOnly(name.bindMemory(to: UInt8.self), { $0.isToken }) {
                    return "a header name is not a token"
                }
                if hasControlCharacter(value) {
                    let name = String(decoding: name, as: UTF8.self)
                    return "the value of \(name) has a control character"
                }
            }
            return nil
        }
    }

    private static func hostDefect(_ headers: HeaderFields, _ version: String) -> String? {
        var isHost: Bool?
        headers.withSingleValue("Host") { isHost = HostField($0) != nil }
        if let isHost {
            return isHost ? nil : "the Host header is not a host with or without a port"
        }
        if headers.count(of: "Host") > 0 { return "there are several Host headers" }
        return version == "HTTP/1.0" ? nil : "the Host header is missing"
    }

    private static func lengthDefect(_ headers: HeaderFields, _ version: String) -> String? {
        let length = headers["Content-Length"]
        if let length {
            guard headers.count(of: "Content-Length") == 1 else {
                return "there are several Content-Length headers"
            }
            guard !length.isEmpty, length.utf8.allSatisfy({ $0.isDigit }) else {
                return "Content-Length is not a number of bytes"
            }
        }
        guard headers["Transfer-Encoding"] != nil else { return nil }
        guard length == nil else {
            return "send either Content-Length or Transfer-Encoding, not both"
        }
        guard headers.singleValue(of: "Transfer-Encoding")?.lowercased() == "chunked",
            version != "HTTP/1.0"
        else {
            return "Transfer-Encoding must be chunked, without spaces after it, and the version"
                + " HTTP/1.1"
        }
        return nil
    }
}

/// Returns whether `isAllowed` is true for every byte. The loop has no early exit, so that the
/// compiler can check several bytes with one instruction.
@inline(__always)
private func hasOnly(_ bytes: UnsafeBufferPointer<UInt8>, _ isAllowed: (UInt8) -> Bool) -> Bool {
    var others: UInt8 = 0
    for byte in bytes { others |= isAllowed(byte) ? 0 : 1 }
    return others == 0
}

/// Returns whether the bytes contain a control character other than a tab.
private func hasControlCharacter(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Most values have no control character. The test takes a tab for one.
    let mayHave = anyWord(of: bytes) { word in
        (word &- everyByte(0x20)) & ~word | zeros(word ^ everyByte(0x7F))
    }
    return mayHave && bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
}

/// Returns whether a test holds for any eight bytes; true if there are fewer than eight.
/// - Parameter test: sets the highest bit of at least one byte of its result if it holds for a byte
///   of the word. The other bits of the result do not count.
@inline(__always)
func anyWord(of bytes: UnsafeRawBufferPointer, _ test: (UInt64) -> UInt64) -> Bool {
    guard bytes.count >= 8 else { return true }
    // The last eight bytes may overlap with those that the loop reads.
    var found = test(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    for index in stride(from: 0, to: bytes.count - 8, by: 8) {
        found |= test(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
    return found & everyByte(0x80) != 0
}

/// Returns a word in which the highest bit of at least one byte is set if, and only if, a byte of
/// `word` is zero.
@inline(__always)
func zeros(_ word: UInt64) -> UInt64 { (word &- everyByte(1)) & ~word }

/// Returns a word that consists of the same byte eight times.
@inline(__always)
func everyByte(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
