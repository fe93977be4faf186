import HTTPCore

/// What operators and tools ask for.
struct ServiceRoutes: Sendable {
    var routes: [Route] {
        [
            Route(.get, "/livez", handler: live),
            Route(.get, "/openapi.yaml", handler: openAPI),
        ]
    }

    private func live(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        .json { json in json.object { $0.member("status", "live") } }
    }

    private func openAPI(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        Response(
            .ok,
            headers: ["Content-Type": "application/yaml", "Cache-Control": CacheControl.data],
            body: .bytes(PackageResources.openapi_yaml))
    }
}
