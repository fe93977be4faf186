/// A whole request, as the routes see it.
public struct Request: Sendable {
    public let head: RequestHead
    public let body: [UInt8]
    /// The other end of the connection: a client, or a proxy before it. Nil where there is none, as
    /// on a socket in the file system.
    public let peer: NetworkAddress?

    public init(_ head: RequestHead, body: [UInt8] = [], peer: NetworkAddress? = nil) {
        self.head = head
        self.body = body
        self.peer = peer
    }

    public init(
        method: Method, target: RequestTarget, headers: HeaderFields = HeaderFields(),
        body: [UInt8] = [], peer: NetworkAddress? = nil
    ) {
        self.init(
            RequestHead(method: method, target: target, headers: headers), body: body, peer: peer)
    }

    @inlinable public var method: Method { head.method }
    @inlinable public var target: RequestTarget { head.target }
    @inlinable public var headers: HeaderFields { head.headers }

    /// - Throws: `.notAcceptable` if the client takes none of these media types.
    public func checkAcceptance(of types: [String]) throws(Problem) {
        guard headers.accepts(oneOf: types) else {
            throw Problem(
                .notAcceptable, "this is sent as \(types.joined(separator: ", ")) alone: accept it")
        }
    }
}
