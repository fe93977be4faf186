/// A step that all requests of a service pass before their handlers, such as the check of a token.
/// The steps are objects, so that a call copies only a reference.
public protocol Middleware: AnyObject, Sendable {
    /// Runs before the handler, on the thread that has received the request, and must not block it.
    /// - Parameter context: takes the result of the step, for later steps and the handler.
    /// - Throws: the problem to respond with. The later steps and the handler are then left out.
    func before(_ context: Context) throws(Problem)
}

/// A step that all responses of a service pass, also those of problems. The responses pass the steps
/// in the reverse order of the requests.
public protocol ResponseMiddleware: Middleware {
    /// Runs on the thread that sends the response.
    func after(_ context: Context, _ response: inout Response)
}
