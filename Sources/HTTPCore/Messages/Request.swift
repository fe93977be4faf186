/// A whole request, as the routes see it.
public struct Request: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields
    public let body: [UInt8]
    /// The other end of the connection: a client, or a proxy before it. Nil where there is none, as
    /// on a socket in the file system.
    public let peer: NetworkAddress?

    public init(
        method: Method, target: RequestTarget, headers: HeaderFields = HeaderFields(),
        body: [UInt8] = [], peer: NetworkAddress? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
    }
}
