import HTTPCore

extension Answer {
    /// The response, or the problem to respond with, once it is there.
    public var response: Response {
        get async throws(Problem) {
            let make: DeferredResponse = await withCheckedContinuation { continuation in
                send { continuation.resume(returning: $0) }
            }
            return try make()
        }
    }
}

extension RequestHandler {
    /// Carries out a request and returns its response.
    public func respond(to request: Request) async -> Response {
        do throws(Problem) {
            return try await answer(request).response
        } catch {
            return rejectionResponse(for: error)
        }
    }
}
