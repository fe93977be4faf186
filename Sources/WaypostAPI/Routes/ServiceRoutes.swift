import HTTPCore
import Sessions

/// What operators and tools ask for.
struct ServiceRoutes: Sendable {
    let store: any SessionStore

    var routes: [Route] {
        [
            Route(.get, "/livez", handler: live),
            Route(.get, "/readyz", handler: ready),
            Route(.get, "/openapi.yaml", handler: openAPI),
        ]
    }

    private static let openAPIBytes = openAPIDocument.withUTF8Buffer { Array($0) }

    private func live(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        return .json { json in json.object { $0.member("status", "live") } }
    }

    /// Whether requests that change something can be answered.
    private func ready(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        if let failure = store.failure {
            throw Problem(.notReady, "the store cannot be written: \(failure.reason)")
        }
        return .json { json in json.object { $0.member("status", "ready") } }
    }

    private func openAPI(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        return Response(
            .ok,
            headers: ["Content-Type": "application/yaml", "Cache-Control": CacheControl.data],
            body: .bytes(Self.openAPIBytes))
    }
}
