import HTTPCore
import WaypostCore

/// What a test may do to the service besides the API: move its clock, and empty its store.
package struct TestControl: Sendable {
    package struct Clock: Sendable {
        let now: @Sendable () -> Timestamp
        let advance: @Sendable (Duration) -> Void

        package init(
            now: @escaping @Sendable () -> Timestamp,
            advance: @escaping @Sendable (Duration) -> Void
        ) {
            self.now = now
            self.advance = advance
        }
    }

    /// The clock; nil if tests may not move it.
    package var clock: Clock?
    /// Removes all sessions and accounts, and makes those of the seed again; nil if tests may not.
    package var reset: (@Sendable () async throws -> Void)?

    package init() {}
}

/// The routes of `TestControl`. They need no token, and no service for users has them. They are not
/// a part of `openapi.yaml`.
struct TestRoutes: Sendable {
    /// The longest step of the clock, in seconds: 100 years.
    private static let longestStep = 100 * 366 * 86_400

    let control: TestControl

    var routes: [Route] {
        var routes: [Route] = []
        if let clock = control.clock {
            routes += [
                Route(.get, "/test/clock") { _ in Self.answer(clock) },
                Route(.post, "/test/clock") { context throws(Problem) in
                    let seconds = try context.request.read { body in
                        let seconds = body.integer("advance")
                        if !(0...Self.longestStep).contains(seconds) {
                            body.note(
                                "expected seconds from 0 to \(Self.longestStep), found \(seconds)",
                                member: "advance")
                        }
                        return seconds
                    }
                    clock.advance(.seconds(seconds))
                    return Self.answer(clock)
                },
            ]
        }
        if let reset = control.reset {
            routes.append(
                Route(
                    .post, "/test/reset",
                    task: { _ in
                        do { try await reset() } catch {
                            throw Problem(
                                .storageUnavailable,
                                "the service is empty, but its seed is not there: \(error)")
                        }
                        return { Response(.noContent) }
                    }))
        }
        return routes
    }

    private static func answer(_ clock: TestControl.Clock) -> Answer {
        .ready(.object { $0.member("now", clock.now()) })
    }
}
