import TestSupport
import Testing

@testable import NavigationRules

/// Guests of an app: what asks them to log in, and how the log-in carries on.
@Suite struct GuestTests {
    private static func app() throws -> App {
        try TestApp.containers(login: true, tabs: true, guests: true)
    }

    @Test("A session that a guest opens at a members' link shows the log-in in its first revision")
    func launchAtLink() throws {
        let app = try Self.app()
        var (window, events) = try Window.launch(app, opening: .path("/a/1"))
        #expect(window.revision == 1)
        #expect(window.root == .app)
        #expect(window.layers.count == 2)
        #expect(window.topViewController.scene.name == "Login")
        #expect(window.pending == PendingAction(link: "/a/1"))
        #expect(events.map(\.seq) == Array(1...events.count))
        #expect(events.allSatisfy { $0.revision == 1 && !$0.animated })
        let outcome = try window.perform(.logIn(username: "ada"), animated: false, in: app)
        #expect(outcome.transition == .dismiss)
        #expect(window.viewControllers.map(\.scene.name) == ["A", "item"])
        #expect(outcome.events.allSatisfy { $0.animated })
    }

    @Test("The log-in is animated as the action that it carries out", arguments: [true, false])
    func animated(_ isAnimated: Bool) throws {
        let app = try Self.app()
        var window = Window.launch(app).window
        let item = Operation.segue("item", parameters: [:], from: nil)
        let asked = try window.perform(item, animated: isAnimated, in: app)
        #expect(asked.events.allSatisfy { $0.animated == isAnimated })
        #expect(window.pending?.animated == (isAnimated ? nil : false))
        let outcome = try window.perform(.logIn(username: "ada"), animated: false, in: app)
        #expect(!outcome.events.isEmpty)
        #expect(outcome.events.allSatisfy { $0.animated == isAnimated })
    }

    @Test("A guest under the maximum number of layers is not asked") func tooManyLayers() throws {
        let app = try Self.app()
        var window = Window.launch(app).window
        for _ in 1..<Layer.maximum {
            _ = try window.perform(.present(Present(scene: "aNav")), animated: false, in: app)
        }
        let before = window
        #expect(throws: NavigationError.tooManyLayers(maximum: Layer.maximum)) {
            try window.perform(.open(.path("/a/1")), animated: true, in: app)
        }
        #expect(window == before)
    }

    @Test("An action of a guest survives the store, and its effect leads to the stored window")
    func stored() throws {
        let app = try Self.app()
        var window = Window.launch(app).window
        let before = window
        _ = try window.perform(.tap(TapControl(title: "Sheet")), animated: false, in: app)
        #expect(window.pending == nil, "the sheet is everyone's")
        _ = try window.perform(
            .segue("item", parameters: [:], from: nil), animated: true, in: app)
        let pending = try #require(window.pending)
        #expect(pending.viewController == window.layers[1].selected.topViewController.id)
        let restored = Window.restore(window.stored, in: app)
        #expect(restored.window == window && restored.events == nil)
        var stored = before.stored
        let isApplied = stored.apply(
            WindowEffect(from: before, to: window), revision: window.revision)
        #expect(isApplied && stored == window.stored)
    }

    @Test("A link is opened after the log-in although its normal form exceeds the limits")
    func longLink() throws {
        let app = try Self.app()
        var window = Window.launch(app).window
        let text = String(repeating: "\u{66F8}", count: 600)
        _ = try window.perform(.open(.path("/a/\(text)")), animated: false, in: app)
        #expect(window.pendingLink?.utf8.count == 3 + 600 * 9)
        _ = try window.perform(.logIn(username: "ada"), animated: false, in: app)
        #expect(window.viewControllers.map(\.scene.name) == ["A", "item"])
        #expect(window.topViewController.parameters["n"] == text)
    }

    @Test("A flag that a storyboard has lost or gained is stored with the next change")
    func storedFlags() throws {
        let app = try TestApp.containers(login: true, tabs: true, guests: true)
        let other = try TestApp.containers(
            login: true, tabs: true, guests: true, flags: ["open": false, "new": true])
        var window = Window.launch(other).window
        _ = try window.perform(.setFlags(["open": true]), animated: false, in: other)
        var stored = window.stored
        /// Loads the session with another storyboard, and stores a change.
        func go(to app: App, _ tab: Int) throws {
            window = Window.restore(stored, in: app).window
            let before = window
            _ = try window.perform(.selectTab(tab), animated: false, in: app)
            let isApplied = stored.apply(
                WindowEffect(from: before, to: window), revision: window.revision)
            #expect(isApplied && stored == window.stored)
        }
        try go(to: app, 1)
        #expect(stored.flags == ["open": true])
        try go(to: other, 0)
        #expect(stored.flags == ["open": true, "new": true])
    }

    @Test("An app without guests ends a guest's session at the login root, where only a link waits")
    func withoutGuests() throws {
        let app = try Self.app()
        let other = try TestApp.containers(login: true, tabs: true)
        var window = try Window.launch(app, opening: .path("/a/1")).window
        let atLogin = Window.restore(window.stored, in: other)
        #expect(atLogin.window.root == .login && atLogin.events != nil)
        #expect(atLogin.window.pending == PendingAction(link: "/a/1"))
        let back = Window.restore(atLogin.window.stored, in: app)
        #expect(back.window.auth == .guest && back.window.pending == nil)
        _ = try window.perform(.dismiss(nil), animated: true, in: app)
        #expect(window.pending == nil)
        _ = try window.perform(
            .segue("item", parameters: [:], from: nil), animated: true, in: app)
        #expect(Window.restore(window.stored, in: other).window.pending == nil)
    }
}
