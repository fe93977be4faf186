/// A whole request, as the routes see it.
public struct Request: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields
    public let body: [UInt8]

    public init(
        method: Method, target: RequestTarget, headers: HeaderFields = HeaderFields(),
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}
