import AppLoading
import Foundation
import Testing

@testable import AppDefinition
@testable import NavigationRules

/// The links of the states that a user can reach in the example apps.
@Suite struct ReachableLinksTests {
    private static let examples = [
        nil, "Bookshop/Bookshop.json", "RecipeBox/RecipeBox.json", "Patterns/Segments.json",
        "Patterns/LoginAtLaunch.json", "Patterns/SwappableRoot.json",
    ]

    @Test(
        "The link of a reachable state leads to the same stack, or is null for a stated reason",
        arguments: examples)
    func roundTrip(_ example: String?) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = example.map { folder.appending(path: "Examples/\($0)").path }
        let app = try AppFiles(storyboard: path).load().app
        let username = app.storyboard.loginScene == nil ? nil : "ada"
        var linked = 0
        let states = Self.states(of: app, username)
        for window in states {
            guard let link = window.link(in: app) else {
                #expect(try Self.hasReason(window, app), "\(Self.key(of: window))")
                continue
            }
            linked += 1
            var same = window
            let outcome = try same.perform(
                Operation(Open(.path(link))), animated: true, in: app)
            #expect(!outcome.changed, "\(link)")
            let new = try Window.launch(app, opening: .path(link), username: username).window
            #expect(
                new.viewControllers.map(\.scene.name) == window.viewControllers.map(\.scene.name))
            #expect(
                new.viewControllers.map(\.parameters) == window.viewControllers.map(\.parameters))
            #expect(new.link(in: app) == link)
        }
        #expect(states.count > 1)
        if app.storyboard.scenes.values.contains(where: { $0.path != nil && $0.access == .members })
        {
            #expect(linked > 0)
        }
    }

    /// Returns whether one of the reasons holds for which docs/links.md says that a link is null.
    private static func hasReason(_ window: Window, _ app: App) throws -> Bool {
        let top = window.topViewController
        guard window.root == .app, top.scene.path != nil else { return true }
        let values = top.parameters.byName
        guard let link = app.storyboard.link(to: top.scene, values) else { return true }
        var changed = window
        return try changed.perform(Operation(Open(.path(link))), animated: true, in: app).changed
    }

    /// Returns the states that a user can reach with taps, from the start and after a log-in.
    private static func states(of app: App, _ username: String?) -> [Window] {
        var found: [Window] = []
        var keys: Set<String> = []
        var waiting = [Window.launch(app).window, Window.launch(app, username: username).window]
        while !waiting.isEmpty, found.count < 300 {
            let window = waiting.removeFirst()
            guard keys.insert(key(of: window)).inserted else { continue }
            found.append(window)
            let taps = window.taps(in: app).filter { $0.place != .row || $0.index < 2 }
            for tap in taps {
                var next = window
                let outcome = try? next.perform(
                    Operation(TapControl(tap)), animated: true, in: app)
                if outcome != nil { waiting.append(next) }
            }
            if window.root == .app {
                // A stack that is the chain of no link.
                for scene in app.storyboard.scenes.values.sorted(by: { $0.name < $1.name })
                where scene.path != nil && scene.requiredParameters.isEmpty {
                    var next = window
                    let push = Operation(Push(.scene(scene.name, parameters: [:])))
                    if window.viewControllers.count < 4,
                        (try? next.perform(push, animated: true, in: app)) != nil
                    {
                        waiting.append(next)
                    }
                }
            }
        }
        return found
    }

    private static func key(of window: Window) -> String {
        window.layers.map { layer in
            layer.navigationControllers.map { holder in
                holder.stack.viewControllers.map { "\($0.scene.name)\($0.parameters.values)" }
                    .joined(separator: " ")
            }.joined(separator: "|") + "#\(layer.selectedIndex)"
        }.joined(separator: "/")
    }
}
