import Foundation
import Navigation
import Testing

/// Unit tests of the navigation of an app, as its developer would write them.
@Suite struct PodcastsTests {
    private let app: App

    init() throws {
        let storyboard = URL(filePath: #filePath).appending(
            path: "../../../../Podcasts/Podcasts.json")
        app = try App(contentsOf: storyboard.standardizedFileURL)
    }

    @Test("Every scene can be reached, and nothing else is doubtful")
    func warnings() {
        #expect(app.warnings == [])
        #expect(app.scenes.contains("episode"))
    }

    @Test("An episode lies two pushes deep, and the player covers it")
    func deepPush() throws {
        var window = try app.launch()
        try window.tap("Deep Space")
        try window.tap("A Ring of Dust")
        #expect(
            window.differences(from: [
                "stack": ["Listen Now", "Deep Space", "A Ring of Dust"], "tab": "Listen Now",
                "transition": "push", "link": "/shows/deep-space/episodes/a-ring-of-dust",
            ]) == [])
        #expect(window.topViewController.parameters["show"] == "deep-space")

        try window.tap("Play")
        #expect(window.differences(from: ["layers": ["A Ring of Dust", "Now Playing"]]) == [])
        #expect(window.layers.last?.presentationStyle == "fullScreen")
        #expect(window.flags["playing"] == true)
    }

    @Test("The back button has the title of the show and leads to it")
    func backButton() throws {
        var window = try app.launch(opening: "/shows/slow-food/episodes/salt")
        #expect(window.backButton == "Slow Food")
        let change = try window.back()
        #expect(change.popped.map(\.title) == ["Salt"])
        #expect(window.differences(from: ["title": "Slow Food", "back": "Listen Now"]) == [])
        try window.tap("Listen Now", in: .backButton)
        #expect(window.backButton == nil)
        #expect(throws: Refusal.self) { try window.back() }
    }

    @Test("A tab keeps its stack while another one is selected")
    func tabs() throws {
        var window = try app.launch()
        try window.tap("Small Machines")
        try window.tap("Search")
        #expect(window.differences(from: ["tab": 1, "rows": 7, "back": nil]) == [])
        try window.tap("Listen Now", in: .tab)
        #expect(window.differences(from: ["stack": ["Listen Now", "Small Machines"]]) == [])
    }

    @Test("A guest who wants the library logs in first, in a sheet, and then sees it")
    func logIn() throws {
        var window = try app.launch(opening: "/library/downloads")
        #expect(
            window.differences(from: [
                "title": "Log In", "auth": nil, "layers": 2, "pendingLink": "/library/downloads",
            ]) == [])
        try window.logIn("ada")
        #expect(
            window.differences(from: [
                "stack": ["Library", "Downloads"], "auth": "ada", "layers": 1, "pendingLink": nil,
            ]) == [])
        try window.logOut()
        #expect(window.user == nil)
    }

    @Test("The sheet with the log-in can be swiped down, the tour cannot")
    func sheet() throws {
        var window = try app.launch()
        try window.tap("Log In")
        #expect(window.layers.last?.presentationStyle == "pageSheet")
        #expect(try window.swipeDown().transition == "dismiss")

        try window.tap("Take the Tour")
        let refusal = #expect(throws: Refusal.self) { try window.swipeDown() }
        #expect(refusal?.code == "not-dismissible")
        #expect(window.differences(from: ["title": "Welcome", "layers": 2]) == [])
    }

    @Test("A push calls the callbacks in UIKit's order")
    func lifecycle() throws {
        var window = try app.launch()
        let change = try window.selectRow(0)
        #expect(
            change.events.map(\.description) == [
                "viewDidLoad show", "viewWillDisappear listen", "viewWillAppear show",
                "willShow show", "viewDidDisappear listen", "viewDidAppear show", "didShow show",
            ])
    }

    @Test("What no user can do is refused in a strict window, which changes nothing")
    func strict() throws {
        var window = try app.launch()
        let before = window
        let refusal = #expect(throws: Refusal.self) { try window.push("account") }
        #expect(refusal?.code == "not-a-user-action")
        #expect(window == before)
        var loose = try app.launch(user: "ada", isStrict: false)
        try loose.push("account")
        #expect(loose.differences(from: ["title": "Account", "back": "Listen Now"]) == [])
    }

    @Test("A mismatch is a sentence with what was expected and what was found")
    func mismatch() throws {
        let window = try app.launch()
        #expect(
            window.differences(from: ["title": "Search", "back": "Home", "tab": 0]) == [
                "back: expected Home, found nil", "title: expected Search, found Listen Now",
            ])
    }
}
