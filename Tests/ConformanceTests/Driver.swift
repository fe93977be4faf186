import JSON

/// What a case is run against: the rules themselves, or the service over HTTP.
protocol Driver {
    /// - Parameter operation: as in `Case`, ids filled in.
    func perform(_ operation: String, _ body: JSONValue) async throws -> Answer
    /// The session as it is now.
    func session() async throws -> JSONValue
    /// A GET of the session's `layers`, `screen` or `view-controllers`.
    func read(_ name: String) async throws -> Answer
    /// Has the session read from its store again, in an app with the storyboard of this name.
    func restart(_ storyboard: String) async throws
    /// The whole lifecycle log.
    func events() async throws -> [JSONValue]
}

struct Answer {
    let status: Int
    let body: JSONValue
}

let password = "correct horse battery staple"
