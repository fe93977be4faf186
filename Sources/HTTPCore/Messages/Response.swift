/// An answer, as the server is to send it.
public struct Response: Sendable {
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        case file(FileRegion)
    }

    public var status: Status
    public var headers: HeaderFields
    /// With a 304, as with an answer to HEAD, only its size is sent: that of what would have been
    /// sent (RFC 9110, 8.6).
    public var body: Body

    public init(
        _ status: Status, headers: consuming HeaderFields = HeaderFields(), body: Body = .empty
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
