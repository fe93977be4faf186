/// What a handler makes of a request: an answer, or the work that leads to one.
public enum Reply: Sendable {
    case now(Response)
    case later(@Sendable () async -> Response)
}
