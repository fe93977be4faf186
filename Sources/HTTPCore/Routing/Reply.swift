/// What a handler makes of a request: an answer, or what leads to one.
public enum Reply: Sendable {
    case now(Response)
    /// The work has begun, and needs no task: to be called once, with what sends the answer.
    case soon(@Sendable (_ send: @escaping @Sendable (Response) -> Void) -> Void)
    /// The work is to be done in a task.
    case later(@Sendable () async -> Response)
}
