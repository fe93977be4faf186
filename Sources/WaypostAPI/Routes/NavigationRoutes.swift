import HTTPCore
import JSON
import Navigation
import Sessions

/// The routes that change a session: navigation, and who is logged in.
struct NavigationRoutes: Sendable {
    let app: App
    let access: SessionAccess

    var routes: [Route] {
        NavigationOperation.allCases.map(route) + [
            Route(.post, "/v1/sessions/{session}/batch", handler: batch),
            Route(.patch, "/v1/sessions/{session}/view-controllers/{vc}", handler: update),
            Route(.post, "/v1/sessions/{session}/sign-up", handler: signUp),
            Route(.post, "/v1/sessions/{session}/log-in", handler: logIn),
            Route(.post, "/v1/sessions/{session}/log-out", handler: logOut),
        ]
    }

    private func route(_ operation: NavigationOperation) -> Route {
        Route(operation.method, "/v1/sessions/{session}/\(operation.rawValue)") {
            (request, parameters) async throws(Problem) in
            try await change(request, parameters) { body in
                let decoded = operation.decode(&body)
                let animated = body.optionalBoolean("animated")
                return (decoded, animated ?? operation.isAnimatedByDefault)
            }
        }
    }

    private func batch(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await change(request, parameters) { body in
            let batch = Batch(&body)
            return (.batch(batch.operations), batch.animated)
        }
    }

    private func update(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await change(request, parameters) { body in
            let id = body.viewControllerID(parameters[1])
            return (.update(id, body.viewControllerChanges()), false)
        }
    }

    private func change(
        _ request: Request, _ parameters: PathParameters,
        decode: (inout BodyReader) -> (Operation, animated: Bool)
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        let session = try await access.session(parameters[0], for: request)
        let (operation, animated) = try request.read(decode)
        return try await respond { () async throws(SessionError) in
            try await session.perform(operation, animated: animated, if: request.precondition)
        }
    }

    // MARK: Who is logged in

    private func signUp(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        let (session, name, password) = try await entry(request, parameters)
        return try await respond { () async throws(SessionError) in
            try await session.signUp(name, password, if: request.precondition)
        }
    }

    private func logIn(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        let (session, name, password) = try await entry(request, parameters)
        return try await respond { () async throws(SessionError) in
            try await session.logIn(name, password, if: request.precondition)
        }
    }

    private func entry(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> (session: Session, username: String, password: String) {
        _ = try Query(request)
        let session = try await access.session(parameters[0], for: request)
        let (username, password) = try request.read { body in
            (body.string("username"), body.string("password"))
        }
        return (session, username, password)
    }

    private func logOut(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        let session = try await access.session(parameters[0], for: request)
        try request.read { _ in }
        return try await respond { () async throws(SessionError) in
            try await session.logOut(if: request.precondition)
        }
    }

    private func respond(
        _ perform: () async throws(SessionError) -> Change
    ) async throws(Problem) -> Response {
        let change: Change
        do { change = try await perform() } catch { throw Problem(error) }
        let tag = EntityTag(String(change.session.window.revision))
        return .json(headers: ["ETag": tag.description]) { $0.change(change, in: app) }
    }
}
