/// Why a server could not be started.
public enum ServerError: Error, Sendable, CustomStringConvertible {
    /// libmicrohttpd says no more than that.
    case notStarted

    public var description: String { "libmicrohttpd could not start its threads" }
}
