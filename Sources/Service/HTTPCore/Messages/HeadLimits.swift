/// The limits on the head of a request, and the check of its HTTP version.
public struct HeadLimits: Sendable {
    /// The largest size of a request target, in bytes.
    public static let maximumTargetSize = 8192
    public static let maximumFieldCount = 100

    /// The largest size of the request line and the header fields together, in bytes.
    public let maximumSize: Int

    public init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Checks the version, the sizes and the number of fields of a request head.
    /// - Parameters:
    ///   - target: the undecoded request target.
    ///   - version: the HTTP version, such as `HTTP/1.1`.
    ///   - size: the size of the whole head in bytes.
    /// - Returns: the problem to respond with before the connection is closed; nil if the head is
    ///   valid.
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
