import HTTPCore
import Sessions
import Synchronization
import WaypostCore

/// The routes for operators and tools, such as health checks.
struct ServiceRoutes: Sendable {
    let store: any SessionStore
    let readiness: Readiness

    var routes: [Route] {
        [
            Route(.get, "/livez", isUrgent: true, live),
            Route(.get, "/readyz", isUrgent: true, ready),
            Route(.get, "/openapi.yaml", produces: ["application/yaml"], openAPI),
            Route(.get, "/problems/{code}", produces: ["text/markdown"], problem),
        ]
    }

    /// Responds with the documentation of a kind of problem. Problem responses refer to this page
    /// in their member `type`.
    private func problem(_ context: Context) throws(Problem) -> Answer {
        guard let section = ProblemGuide.sections[String(context.parameters[0])] else {
            throw Problem(.notFound, "no problem has the code \(context.parameters[0])")
        }
        let text = Array(section.utf8)
        let fields = StaticResponseHeaders(EntityTag(hashing: text), "text/markdown; charset=utf-8")
        return .ready(.data(to: context.request, fields, text))
    }

    private static let openAPIBytes = openAPIDocument.withUTF8Buffer { Array($0) }
    private static let openAPIFields = StaticResponseHeaders(
        EntityTag(hashing: openAPIBytes), "application/yaml")

    private func live(_ context: Context) throws(Problem) -> Answer {
        .ready(.object { $0.member("status", "live") })
    }

    /// Responds with 200 if the service can handle requests that change data.
    /// - Throws: `.notReady` with the reasons if the service cannot handle them.
    private func ready(_ context: Context) throws(Problem) -> Answer {
        let defects = readiness.defects(store)
        guard defects.isEmpty else {
            throw Problem(.notReady, defects.joined(separator: "; "))
        }
        return .ready(.object { $0.member("status", "ready") })
    }

    private func openAPI(_ context: Context) throws(Problem) -> Answer {
        .ready(.data(to: context.request, Self.openAPIFields, Self.openAPIBytes))
    }
}

/// The route `GET /metrics`, which Prometheus scrapes.
struct MetricsRoute: Sendable {
    static let path = "/metrics"

    let families: [Family]

    var route: Route {
        Route(.get, Self.path, produces: ["text/plain"], isUrgent: true, metrics)
    }

    private func metrics(_ context: Context) throws(Problem) -> Answer {
        .ready(
            Response(
                .ok,
                headers: [
                    "Content-Type": Exposition.mediaType, "Cache-Control": CacheControl.none,
                ],
                body: .bytes(Array(Exposition.text(of: families).utf8))))
    }
}

/// Tells whether a load balancer should send requests to the service. The type may be used from any
/// thread.
package final class Readiness: Sendable {
    private let isDraining = Atomic(false)

    package init() {}

    /// Makes the service report that it is not ready, so that load balancers stop sending requests
    /// before it stops.
    package func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    /// Returns the reasons why the service is not ready, as texts for the operator; empty if the
    /// service is ready.
    func defects(_ store: any SessionStore) -> [String] {
        var defects: [String] = []
        if isDraining.load(ordering: .relaxed) {
            defects.append("the service is draining and will stop")
        }
        if let failure = store.failure {
            defects.append("the store cannot be written: \(failure.reason)")
        }
        return defects
    }
}
