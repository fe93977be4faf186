/// All of a request but its body.
///
/// A class, as requests are handed on many times and copy only a reference to it.
public final class RequestHead: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields

    public init(method: Method, target: RequestTarget, headers: HeaderFields = HeaderFields()) {
        self.method = method
        self.target = target
        self.headers = headers
    }
}
