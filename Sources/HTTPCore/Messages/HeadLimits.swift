/// How large the head of a request may be, and of which versions.
public struct HeadLimits: Sendable {
    /// In bytes.
    public static let maximumTargetSize = 8192
    public static let maximumFieldCount = 100

    /// In bytes: the request line and the header fields.
    public let maximumSize: Int

    public init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// - Parameters:
    ///   - target: as it came.
    ///   - version: `HTTP/1.1`.
    ///   - size: of all of the head, in bytes.
    /// - Returns: what is wrong, after which the connection is to be closed; nil if nothing is.
    public func problem(target: String, version: String, fieldCount: Int, size: Int) -> Problem? {
        if version != "HTTP/1.1", version != "HTTP/1.0" {
            return Self.problem(.versionNotSupported, "send HTTP/1.1")
        }
        if target.utf8.count > Self.maximumTargetSize {
            return Self.problem(
                .uriTooLong, "the request target may have \(Self.maximumTargetSize) bytes at most")
        }
        if fieldCount > Self.maximumFieldCount {
            return Self.problem(
                .headerFieldsTooLarge,
                "there may be \(Self.maximumFieldCount) header fields at most")
        }
        if size > maximumSize {
            return Self.problem(
                .headerFieldsTooLarge,
                "the request line and the header fields may have \(maximumSize) bytes at most")
        }
        return nil
    }

    private static func problem(_ kind: Problem.Kind, _ detail: String) -> Problem {
        Problem(kind, detail, headers: ["Connection": "close"])
    }
}
