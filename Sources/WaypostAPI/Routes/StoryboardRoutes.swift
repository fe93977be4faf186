import HTTPCore
import JSON
import Navigation

/// `/v1/storyboard`: the scenes that a client can ask for. The same for everybody.
struct StoryboardRoutes: Sendable {
    /// The response, written once: the storyboard does not change while the service runs.
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
