import HTTPCore

/// What operators and tools ask for.
struct ServiceRoutes: Sendable {
    var routes: [Route] {
        [
            Route(.get, "/livez", handler: live),
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
