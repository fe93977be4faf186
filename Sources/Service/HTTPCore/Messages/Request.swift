/// A request with its complete body.
///
/// The type is a class, so that a copy copies only a reference.
public final class Request: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields
    public let body: [UInt8]
    /// The address of the connection's other end: a client or a proxy. Nil for a Unix domain
    /// socket.
    public let peer: NetworkAddress?
    /// The exchange of the request and its response; nil if no server has received the request.
    public let exchange: (any RequestExchange)?

    public init(
        method: Method, target: RequestTarget, headers: HeaderFields = HeaderFields(),
        body: [UInt8] = [], peer: NetworkAddress? = nil, exchange: (any RequestExchange)? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
        self.exchange = exchange
    }

    /// Checks that the client accepts at least one of these media types.
    /// - Throws: `.notAcceptable` if the client accepts none of them.
    public func checkAcceptance(of types: [String]) throws(Problem) {
        guard headers.accepts(oneOf: types) else {
            throw Problem(
                .notAcceptable,
                "the response is available only as \(types.joined(separator: ", ")): name this in "
                    + "Accept")
        }
    }
}

/// The exchange of a request and its response, as the server that received the request sees it.
public protocol RequestExchange: AnyObject, Sendable {
    /// Whether nobody waits for the response any longer: the client has closed its side of the
    /// connection, or the server has already responded, for example because the response took too
    /// long. A handler can then give up long work. Any thread may call this.
    var isAbandoned: Bool { get }
}

/// A request method (RFC 9110, section 9). Methods are case-sensitive.
public struct Method: Sendable, Hashable {
    public static let get = Method("GET")
    public static let head = Method("HEAD")
    public static let post = Method("POST")
    public static let put = Method("PUT")
    public static let patch = Method("PATCH")
    public static let delete = Method("DELETE")
    public static let options = Method("OPTIONS")

    public let name: String

    public init(_ name: String) { self.name = name }
}
