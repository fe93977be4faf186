import AppDefinition
import HTTPCore
import NavigationRules
import Sessions
import WaypostCore

/// The HTTP interface of the service: all routes, and the responses to requests that match no
/// route.
///
/// The type is a class, so that each request in progress holds a reference instead of a copy.
package final class API: RequestHandler {
    let pipeline: Pipeline
    private let observer: RequestObserver
    private let crossOrigin: CrossOriginPolicy
    private let streams: ChangeStreams?
    private let isStoreShared: Bool

    /// Creates the routes and their metrics.
    /// - Parameter old: the instance that the new one replaces when the service reloads its app
    ///   (the storyboard and its data); nil at the start of the service. The new instance continues
    ///   the metrics of change streams and, if both instances have the same routes, the metrics of
    ///   requests.
    package init(
        _ data: LoadedApp, directory: SessionDirectory, accounts: AccountDirectory,
        limits: RateLimits, store: any SessionStore,
        configuration: Configuration = Configuration(), replacing old: API? = nil
    ) {
        isStoreShared = store.isShared
        let tags = SessionTags(directory.app, version: configuration.version)
        crossOrigin = configuration.crossOrigin
        let readiness = configuration.readiness
        let streams = Self.streams(directory, tags, store, configuration, old?.streams?.metrics)
        self.streams = streams
        if let streams { directory.onRevocation { [weak streams] in streams?.note($0) } }
        let session = SessionRoutes(tags: tags, directory: directory, limits: limits)
        let account = AccountRoutes(accounts: accounts, directory: directory, limits: limits)
        var routes =
            ServiceRoutes(store: store, readiness: readiness).routes
            + StoryboardRoutes(data.app.storyboard).routes
            + ImageRoutes(images: data.images).routes
            + [session.openingRoute]
        if let catalog = data.catalog { routes += CatalogRoutes(catalog: catalog).routes }
        if configuration.hasInspector { routes += InspectorRoutes(directory.app).routes }
        routes += TestRoutes(control: configuration.testControl).routes
        let sessionRoutes =
            session.routes + session.historyRoutes + session.navigationRoutes
            + (streams.map { [session.changeRoute($0)] } ?? [])
        routes += sessionRoutes.map { $0.requiring(.session) }
        routes += (account.routes + account.deviceRoutes).map { $0.requiring(.credential) }
        let paths = Router.paths(of: routes) + [MetricsRoute.path]
        observer =
            old.flatMap { $0.observer.paths == paths ? $0.observer : nil }
            ?? RequestObserver(paths: paths, configuration)
        var families =
            observer.metrics.families + Self.sessionMetrics(directory, store, readiness)
            + directory.metrics
            + configuration.metrics
        if let streams { families += streams.metrics.families { streams.streamCount } }
        // A request passes these in order. The handlers check quotas and look for stored responses,
        // since these depend on the body and on the session.
        let middleware: [any Middleware] = [
            observer, crossOrigin, Authorization(), EntityTagFields(), QueryNames(),
            IdempotencyKeys(),
        ]
        pipeline = Pipeline(
            Router(routes + [MetricsRoute(families: families).route]), middleware
        ) { Response($0, requestID: $1.requestID) }
    }

    /// Creates the object that manages the change streams (server-sent events) of all sessions.
    /// - Parameter metrics: the metrics to continue; nil for none.
    /// - Returns: nil if the configuration allows no streams.
    private static func streams(
        _ directory: SessionDirectory, _ tags: SessionTags, _ store: any SessionStore,
        _ configuration: Configuration, _ metrics: StreamMetrics?
    ) -> ChangeStreams? {
        guard configuration.streams.maximum > 0 else { return nil }
        let incarnation = store.incarnation.map { UInt64(bitPattern: Int64($0)) }
        let messages = ChangeMessages(
            app: directory.app, history: tags.history(of: incarnation ?? configuration.seed))
        return ChangeStreams(
            directory, messages, configuration.streams, seed: configuration.seed,
            isStoreShared: store.isShared, metrics: metrics ?? StreamMetrics())
    }

    /// Ends all change streams (server-sent events), and each one that begins later.
    /// - Parameter areDeleted: whether the sessions are deleted, which a final message tells the
    ///   clients. Otherwise the clients reconnect.
    package func endStreams(areDeleted: Bool = false) {
        streams?.endStreams(areDeleted ? .deleted : nil)
    }

    private static func sessionMetrics(
        _ directory: SessionDirectory, _ store: any SessionStore, _ readiness: Readiness
    ) -> [Family] {
        [
            .gauge("waypost_sessions_cached", "Sessions in memory.") { directory.cachedCount },
            .gauge("waypost_sessions_stored", "Sessions in the store at its last count.") {
                store.sessionCount
            },
            .gauge("waypost_ready", "1 if /readyz responds with 200, else 0.") {
                readiness.defects(store).isEmpty ? 1 : 0
            },
        ]
    }

    package func answer(_ request: Request) -> Answer {
        let answer = pipeline.answer(request)
        // Only a shared store can keep a request waiting for another machine.
        guard isStoreShared, case .later(let work) = answer else { return answer }
        let start = ContinuousClock.now
        return .later { reply in RequestStart.$current.withValue(start) { work(reply) } }
    }

    package func isUrgent(_ request: Request) -> Bool {
        pipeline.router.match(request).route?.isUrgent ?? false
    }

    package func rejectionResponse(beforeBodyOf request: Request) -> Response? {
        pipeline.refusal(beforeBodyOf: request) { route throws(Problem) in
            if [.post, .put, .patch].contains(route.method) { try request.checkMediaType() }
        }
    }

    package func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
        let id = observer.id(of: headers)
        var response = Response(problem, requestID: id)
        crossOrigin.apply(to: &response, nil, headers)
        observer.reject(problem, &response, id)
        return response
    }
}

extension API {
    /// The settings that the operator chooses.
    package struct Configuration: Sendable {
        /// The metrics that other modules record: those of the store, the server and password
        /// hashing.
        package var metrics: [Family] = []
        /// Counts the changes of which the store does not know whether it has made them. The API
        /// and the admin socket count their responses `outcome-unknown`.
        package let unknownOutcomes = Counter()
        /// The origins of the web pages that may use the service; none by default.
        package var crossOrigin = CrossOriginPolicy()
        package var readiness = Readiness()
        package var streams = StreamLimits()
        /// Whether the service has the inspector, a web page that shows and drives a session.
        package var hasInspector = true
        /// What a test may do to the service; nothing by default.
        package var testControl = TestControl()
        /// The version of Waypost. The entity tags of sessions depend on the version, so that an
        /// upgrade invalidates cached responses.
        package var version = ""
        /// The log of errors and, if `isAccessLogged` is true, of requests; nil for no log.
        package var log: Log?
        package var isAccessLogged = false
        /// A random number that seeds the request ids and the random delays of change streams. If
        /// the store keeps sessions in memory only, the cursors of change streams also depend on
        /// this number, so that a cursor from an earlier process is not mistaken for a current one.
        package var seed: UInt64 = 0

        package init() {}
    }
}
