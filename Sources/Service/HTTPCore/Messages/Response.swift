/// A response to a request.
public struct Response: Sendable {
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// A part of a file: the bytes to send, as offsets from the start of the file. The range lies
        /// within the file's size.
        case file(OpenFile, Range<Int>)
        /// A stream of data whose size is not known. After the stream the connection closes, and
        /// serves no other request. The server calls `onEnd` after `ResponseStream.ended`.
        indirect case stream(any ResponseStream, onEnd: @Sendable (StreamEnd) -> Void = { _ in })

        /// The size in bytes; 0 for a stream, whose size is not known.
        public var count: Int {
            switch self {
            case .empty, .stream: 0
            case .bytes(let bytes): bytes.count
            case .file(_, let range): range.count
            }
        }
    }

    public var status: Status
    public var headers: HeaderFields
    /// The content of the response. If the request's method is HEAD, or the status is 304, the
    /// server does not send the content, but only its size in `Content-Length`. The content must
    /// then be that of a 200 response to a GET request, so that its size is right (RFC 9110, 8.6).
    public var body: Body
    /// The problem that the response reports, for the metrics and the log; nil for any other
    /// response.
    public var problem: Problem?

    public init(
        _ status: Status, headers: consuming HeaderFields = HeaderFields(), body: Body = .empty
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// A response status (RFC 9110, section 15).
public struct Status: Sendable, Hashable, ExpressibleByIntegerLiteral {
    public let code: Int

    public init(_ code: Int) { self.code = code }
    public init(integerLiteral code: Int) { self.code = code }

    public static let ok = Status(200)
    public static let created = Status(201)
    public static let noContent = Status(204)
    public static let partialContent = Status(206)
    public static let notModified = Status(304)
    public static let temporaryRedirect = Status(307)
}
