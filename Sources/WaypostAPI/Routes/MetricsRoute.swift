import HTTPCore
import Metrics

/// `GET /metrics`: what Prometheus collects.
struct MetricsRoute: Sendable {
    static let path = "/metrics"

    let families: [Family]

    var route: Route { Route(.get, Self.path, produces: ["text/plain"], immediate: metrics) }

    private func metrics(
        _ request: Request, _ parameters: PathParameters
    ) throws(Problem) -> Response {
        _ = try Query(request)
        return Response(
            .ok,
            headers: [
                "Content-Type": Exposition.mediaType, "Cache-Control": CacheControl.none,
            ],
            body: .bytes(Array(Exposition.text(of: families).utf8)))
    }
}
