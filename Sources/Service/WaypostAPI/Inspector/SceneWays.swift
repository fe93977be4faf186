import Exploration
import HTTPCore
import JSON
import NavigationRules
import Synchronization
import WaypostCore

/// The shortest ways of a user from the launch of the app to its scenes.
///
/// The first request starts one search for all scenes on a thread of its own. The service makes a
/// new instance when it reloads the app, so an answer never outlives its storyboard.
final class SceneWays: Sendable {
    /// The number of actions after which the search stops. The ways that it has not found by then
    /// are unknown.
    static let maximumMoves = 500_000

    private typealias Answers = [Scene.Name: PathSearch.Answer]

    private let app: App
    private let moves: Int
    private let search = Mutex<Task<Answers, Never>?>(nil)

    init(_ app: App, moves: Int = maximumMoves) {
        self.app = app
        self.moves = moves
    }

    /// Returns the response with the way to the scene that the path names, when it is known.
    func response(_ context: Context) async throws(Problem) -> Answer.DeferredResponse {
        let name = String(context.parameters[0])
        if let reason = app.storyboard.refusal(ofWayTo: name) {
            throw Problem(NavigationError.Code.sceneNotFound.kind, reason)
        }
        let answer = await answers[name] ?? .unknown
        return {
            let content = Array(answer.json(from: "launch", to: name).utf8)
            let fields = StaticResponseHeaders(EntityTag(hashing: content), "application/json")
            return .data(to: context.request, fields, content)
        }
    }

    private var answers: Answers {
        get async {
            await search.withLock { search in
                let task = search ?? Task { [app, moves] in await Self.answers(app, moves) }
                search = task
                return task
            }.value
        }
    }

    private static func answers(_ app: App, _ moves: Int) async -> Answers {
        let threads = BackgroundThreads(count: 1, limits: WorkLimits(total: 1))
        let found = try? await threads.run(of: .unknown) {
            var limits = Exploration.Limits()
            limits.moves = moves
            let search = LaunchSearch(app, limits)
            let scenes = app.storyboard.scenes.filter { !$0.value.kind.isContainer }
            return Answers(uniqueKeysWithValues: scenes.keys.map { ($0, search.answer(to: $0)) })
        }
        return found ?? [:]
    }
}
