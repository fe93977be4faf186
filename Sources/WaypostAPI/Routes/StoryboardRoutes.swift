import HTTPCore
import JSON
import Navigation

/// The route `/v1/storyboard`, which shows the scenes that a client can ask for. The response is the
/// same for all clients.
struct StoryboardRoutes: Sendable {
    /// The body of the response, encoded once: the routes are created again when the storyboard
    /// changes.
    private let content: [UInt8]
    private let fields: StaticResponseHeaders

    init(_ storyboard: Storyboard) {
        var json = JSONWriter()
        json.storyboard(storyboard)
        content = json.bytes
        fields = StaticResponseHeaders(EntityTag(hashing: content), "application/json")
    }

    var routes: [Route] { [Route(.get, "/v1/storyboard", immediate: storyboard)] }

    private func storyboard(
        _ request: Request, _ parameters: PathParameters
    ) throws(Problem) -> Response {
        _ = try Query(request)
        return .data(to: request, fields, content)
    }
}
