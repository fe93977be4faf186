import JSON
import Navigation
import Sessions

extension JSONWriter {
    /// Writes the body of the response to a change of a session.
    /// - Parameter session: the value of the last member, `session`; nil omits the member.
    mutating func change(_ change: ChangeResult, session: SessionSnapshot?, in app: App) {
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
    /// - Parameters:
    ///   - after: the number of the last event before the page.
    ///   - last: the number of the session's newest event.
    mutating func eventPage(_ events: [LifecycleEvent], after: Int, last: Int) {
        let end = events.last?.seq ?? after
        object { json in
            json.name("events")
            json.events(events)
            json.name("next")
            if end < last { json.integer(end) } else { json.null() }
            json.member("last", last)
        }
    }

    /// Writes lifecycle events as an array.
    mutating func events(_ events: [LifecycleEvent]) {
        objects(events) { json, event in
            json.member("seq", event.seq)
            json.member("revision", event.revision)
            json.member("event", text: event.kind.text)
            json.member("viewController", "vc", event.viewController.number)
            json.member("scene", event.scene)
            json.member("animated", event.animated)
        }
    }
}
