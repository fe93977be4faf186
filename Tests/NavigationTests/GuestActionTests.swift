import TestSupport
import Testing

@testable import NavigationRules

/// The actions for which a guest is asked to log in, and those for which the guest is not.
@Suite struct GuestActionTests {
    private let item = NavigationRules.Operation.segue("item", parameters: [:], from: nil)

    @Test(
        "A guest who selects a segment of members is asked to log in, which then selects it",
        arguments: [nil, true])
    func segment(_ animated: Bool?) throws {
        let app = try TestApp.containers(login: true, tabs: false, segments: true, guests: true)
        var window = Window.launch(app).window
        let asked = try window.perform(.selectSegment(1), animated: animated, in: app)
        #expect(asked.events.allSatisfy { $0.animated == (animated ?? false) })
        let pending = try #require(window.pending)
        #expect(pending.viewController == nil)
        #expect((pending.operation.base as? SelectSegment)?.index == 1)
        #expect(pending.animated == animated)
        let outcome = try window.perform(.logIn(username: "ada"), animated: nil, in: app)
        #expect(outcome.events.allSatisfy { $0.animated == (animated ?? true) })
        #expect(window.layers.count == 1 && window.segments?.selectedIndex == 1)
        #expect(window.viewControllers.map(\.scene.name) == ["B"])
    }

    @Test("A row of data waits for the log-in by its index, because the data can change")
    func dataRow() throws {
        let app = try TestApp.containers(login: true, tabs: true, guests: true)
        var window = Window.launch(app).window
        _ = try window.perform(.push(.scene("table", parameters: [:])), animated: false, in: app)
        let row = try #require(window.taps(in: app).first { $0.place == .row && $0.index == 1 })
        _ = try window.perform(.tap(TapControl(row)), animated: true, in: app)
        #expect((window.pending?.operation.base as? SelectRow)?.row == 1)
    }

    @Test("A guest gets the refusal that a member would get too, and nothing waits")
    func refusedToMembers() throws {
        let app = try TestApp.containers(
            login: true, tabs: true, guests: true, maximumStackDepth: 1)
        var window = Window.launch(app).window
        let before = window
        #expect(throws: NavigationError.stackTooDeep(maximum: 1)) {
            try window.perform(item, animated: true, in: app)
        }
        #expect(window == before && window.pending == nil)
    }

    /// An app with a scene of members behind a segue of the first scene.
    private func app(
        buttons: [Control] = [], presentation: PresentationStyle? = nil, isStrict: Bool = false
    ) throws -> App {
        var controls = Controls()
        controls.buttons = buttons
        let draft = StoryboardDraft(
            name: "Guests", loginScene: "Login", initialScene: "home", hasGuests: true,
            scenes: [
                Scene(
                    name: "home", kind: .blank, access: .everyone,
                    segues: [Segue(identifier: "item", action: .show("item"))],
                    controls: controls),
                Scene(name: "item", kind: .blank),
                Scene(
                    name: "Login", kind: .form, access: .login, submit: .logIn,
                    presentation: presentation),
            ], isStrict: isStrict)
        return App(storyboard: try Storyboard(draft, dataSource: Numbers()), dataSource: Numbers())
    }

    @Test(
        "The log-in of a guest is presented in the style of its scene",
        arguments: [
            (.fullScreen, .fullScreen), (.automatic, .formSheet), (nil, .pageSheet),
        ] as [(PresentationStyle?, PresentationStyle)])
    func style(_ scene: PresentationStyle?, _ layer: PresentationStyle) throws {
        let app = try app(presentation: scene)
        var window = Window.launch(app).window
        _ = try window.perform(item, animated: true, in: app)
        #expect(window.layers.map(\.presentationStyle) == [nil, layer])
    }

    @Test("A strict session forgets a segue if the log-in takes away its only control")
    func controlOfGuests() throws {
        let guests = Control(title: "Mine", segue: "item", when: FlagCondition("!loggedIn"))
        let all = Control(title: "Mine", segue: "item")
        for (button, shown) in [(guests, ["home"]), (all, ["home", "item"])] {
            let app = try app(buttons: [button], isStrict: true)
            var window = Window.launch(app).window
            _ = try window.perform(item, animated: true, in: app)
            #expect(window.pending != nil)
            _ = try window.perform(.logIn(username: "ada"), animated: false, in: app)
            #expect(window.pending == nil && window.isLoggedIn)
            #expect(window.viewControllers.map(\.scene.name) == shown)
        }
    }
}
