import HTTPCore
import JSON
import NavigationRules

/// The route `/v1/storyboard`, which describes the app's scenes and the segues between them. The
/// response is the same for all clients.
struct StoryboardRoutes: Sendable {
    /// The encoded body of the response. The body never changes, because the service creates new
    /// routes when the storyboard changes.
    private let content: [UInt8]
    private let fields: StaticResponseHeaders

    init(_ storyboard: Storyboard) {
        content = storyboard.encoded
        fields = StaticResponseHeaders(EntityTag(hashing: content), "application/json")
    }

    var routes: [Route] { [Route(.get, "/v1/storyboard", storyboard)] }

    private func storyboard(_ context: Context) throws(Problem) -> Answer {
        .ready(.data(to: context.request, fields, content))
    }
}

extension Storyboard {
    /// The tag of the response to `GET /v1/storyboard` of a service that serves this storyboard.
    package var entityTag: EntityTag { EntityTag(hashing: encoded) }

    fileprivate var encoded: [UInt8] { JSONWriter.bytes { $0.storyboard(self) } }
}
