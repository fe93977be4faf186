import JSON
import NavigationRules
import Sessions

extension JSONWriter {
    /// Writes the body of the response to a change of a session.
    /// - Parameter session: the value of the last member, `session`; nil omits the member.
    mutating func change(_ change: ChangeResult, session: SessionState?, in app: App) {
        object { json in
            json.member("changed", change.outcome.changed)
            json.member("transition", change.outcome.transition.rawValue)
            json.name("popped")
            json.viewControllers(change.outcome.popped)
            json.name("events")
            json.events(change.outcome.events)
            if let credential = change.credential { json.member("credential", credential.text) }
            guard let session else { return }
            json.name("session")
            json.session(session, in: app)
        }
    }

    /// Writes a page of a session's lifecycle events.
    /// - Parameter found: the events; more than `limit` if another page follows.
    mutating func eventPage(_ found: [LifecycleEvent], limit: Int) {
        page(found, limit: limit, at: \.seq.description) { json, event in
            json.object { $0.members(of: event) }
        } others: { json in
            // Clients of the form before API 1.0 read the events here.
            json.name("events")
            json.events(Array(found.prefix(limit)))
        }
    }

    /// Writes lifecycle events as an array.
    mutating func events(_ events: [LifecycleEvent]) {
        objects(events) { $0.members(of: $1) }
    }

    // A call for each event would copy the event: all responses to changes have some.
    @inline(__always)
    private mutating func members(of event: LifecycleEvent) {
        member("seq", event.seq)
        member("revision", event.revision)
        member("event", text: event.kind.text)
        member("viewController", "vc", event.viewController.number)
        member("scene", event.scene)
        member("animated", event.animated)
    }
}
