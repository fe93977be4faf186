import HTTPCore
import WaypostCore

/// The metrics of HTTP requests. Recording a request takes no lock and allocates no memory.
///
/// The histograms of durations have no label for the status. Each histogram exposes many samples,
/// and the label would multiply them by the number of different statuses.
struct RequestMetrics: Sendable {
    private static let methods: [Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, unknownMethod,
    ]
    static let unknownMethod = Method("other")
    private static let statuses = Set(
        [200, 201, 204, 206, 304, 307] + Problem.Kind.all.map(\.status.code)
    ).sorted()

    /// The buckets for durations. There are only a few, because each combination of route and
    /// method exposes one sample for each bucket.
    private static let buckets = Buckets(microseconds: [1000, 10_000, 250_000, 1_000_000])

    private let routes: [String]
    /// The durations of requests, by route and method.
    private let durations: [Histogram]
    /// The numbers of responses, by route, method and status.
    private let responses: [Counter]
    private let inFlight = Gauge()
    private let refusals: [String: Counter]
    private let unknownOutcomes: Counter

    /// Creates the metrics.
    /// - Parameters:
    ///   - paths: the path patterns of the routes, which become labels. The paths of actual requests
    ///     must not become labels, because clients could then create any number of series, and the
    ///     metrics would reveal ids.
    ///   - unknownOutcomes: counts the responses `outcome-unknown`; the admin socket counts its own
    ///     responses with the same counter.
    init(paths: [String], unknownOutcomes: Counter = Counter()) {
        self.unknownOutcomes = unknownOutcomes
        routes = paths + ["none"]
        let rows = routes.count * Self.methods.count
        durations = (0..<rows).map { _ in Histogram(Self.buckets) }
        responses = (0..<rows * Self.statuses.count).map { _ in Counter() }
        refusals = Dictionary(
            uniqueKeysWithValues: Problem.Kind.all.map { ($0.code, Counter()) })
    }

    func begin() {
        inFlight.add()
    }

    /// Records a completed request.
    /// - Parameter path: the index of the route's pattern in the `paths` of `init`; nil if no route
    ///   matched.
    func end(path: Int?, _ method: Method, _ status: Status, _ duration: Duration) {
        inFlight.subtract()
        guard let row = countResponse(path: path, method, status) else { return }
        durations[row].record(duration)
    }

    /// Counts a response, also one to a message that is not a complete request.
    /// - Returns: the row of the route and the method; nil if the service never sends the status.
    @discardableResult
    func countResponse(path: Int?, _ method: Method, _ status: Status) -> Int? {
        guard let status = Self.statuses.firstIndex(of: status.code) else { return nil }
        let route = path ?? routes.count - 1
        let row = route * Self.methods.count + Self.index(of: method)
        responses[row * Self.statuses.count + status].increment()
        return row
    }

    func countRejection(for problem: Problem) {
        let count = refusals[problem.code]
        assert(count != nil, "Problem.Kind.all lacks \(problem.code)")
        count?.increment()
        if problem.kind == .outcomeUnknown { unknownOutcomes.increment() }
    }

    private static func index(of method: Method) -> Int {
        methods.firstIndex(of: method) ?? methods.count - 1
    }

    /// Returns the label of a method; `other` for one that the service does not know.
    static func label(of method: Method) -> String { methods[index(of: method)].name }

    /// Returns the label of a route: its path pattern, or `none` if no route matched.
    /// - Parameter path: the index of the pattern in the `paths` of `init`; nil if no route
    ///   matched.
    func route(path: Int?) -> String { routes[path ?? routes.count - 1] }

    // MARK: Exposition

    var families: [Family] {
        [
            .histograms(
                "http_server_request_duration_seconds",
                "Time from the last byte of a request until its response is ready to be sent.",
                series: {
                    durations.enumerated().filter { $0.element.count > 0 }
                        .map { (labels(ofRow: $0.offset), $0.element) }
                }),
            .counters(
                "waypost_http_responses_total", "Responses, by their status.",
                series: responseCounts),
            .gauge(
                "http_server_active_requests", "Requests in progress.", inFlight),
            .counter(
                "waypost_store_outcomes_unknown_total",
                "Changes that the store may or may not have made.", unknownOutcomes),
            .counters(
                "waypost_http_refusals_total", "Problem responses, by the problem's code.",
                label: "code",
                refusals.map { ($0.key, $0.value) }.sorted { $0.value < $1.value }),
        ]
    }

    @Sendable private func responseCounts() -> [(
        labels: [(name: String, value: String)], count: Int
    )] {
        responses.enumerated().compactMap { index, counter in
            let count = counter.value
            guard count > 0 else { return nil }
            let (row, status) = index.quotientAndRemainder(dividingBy: Self.statuses.count)
            let label = ("http_response_status_code", String(Self.statuses[status]))
            return (labels(ofRow: row) + [label], count)
        }
    }

    private func labels(ofRow row: Int) -> [(name: String, value: String)] {
        let (route, method) = row.quotientAndRemainder(dividingBy: Self.methods.count)
        return [
            ("http_route", routes[route]), ("http_request_method", Self.methods[method].name),
        ]
    }
}
