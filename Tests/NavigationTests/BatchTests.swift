import Testing

@testable import NavigationRules

@Suite struct BatchTests {
    @Test("A layer that a batch presents and swipes down was never there")
    func swipeDown() throws {
        let storyboard = try Storyboard(
            StoryboardDraft(
                name: "Sheets", initialScene: "A",
                scenes: [Scene(name: "A", kind: .blank), Scene(name: "B", kind: .blank)],
                callbacks: [.presentation]), dataSource: NoData())
        let app = App(storyboard: storyboard, dataSource: NoData())
        var window = Window.launch(app).window
        let sheet = Operation.present(Present(scene: "B", style: .pageSheet))
        let outcome = try window.perform(
            .batch([sheet, .swipeDown]), animated: true, in: app)
        #expect(!outcome.changed && outcome.events.isEmpty)
        #expect(window == Window.launch(app).window)
        // The swipe of a layer that was there has its callbacks.
        _ = try window.perform(sheet, animated: true, in: app)
        let events = try window.perform(.batch([.swipeDown]), animated: true, in: app).events
        #expect(events.contains { $0.kind == .presentationControllerWillDismiss })
    }

    @Test("A link that a batch opens before the log-in keeps its animated")
    func animatedLink() throws {
        let app = try TestApp.everything()
        var batch = Batch()
        let link = Operation.open(.path("/s1/x"))
        for animated in [nil, true, false] {
            batch.operations = [Batch.Entry(link, animated: animated)]
            var window = Window.launch(app).window
            _ = try window.perform(Operation(batch), animated: false, in: app)
            #expect(window.pending?.animated == (animated == false ? false : nil))
        }
    }
}
