import AppDefinition
import AppLoading
import Foundation
import NavigationRules
import TestSupport
import Testing

/// Tests of storyboards in Xcode's format, as apps that run.
@Suite struct ImportedStoryboardTests {
    /// The storyboards of the tests, each of which is an app.
    static let own: [String] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Storyboards").path
        let checkout = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        return [
            "\(folder)/Shop", "\(folder)/Travel", "\(folder)/Shop/Basket.storyboard",
            "\(checkout)/Examples/XcodeProject",
        ]
    }()

    /// The storyboards of the tests, and those in the folder that `WAYPOST_STORYBOARDS` names.
    static let paths: [String] = {
        var paths = own
        if let other = ProcessInfo.processInfo.environment["WAYPOST_STORYBOARDS"],
            let files = FileManager.default.enumerator(atPath: other)
        {
            let names = files.compactMap { $0 as? String }.filter { $0.hasSuffix(".storyboard") }
            paths += names.sorted().map { "\(other)/\($0)" }
        }
        return paths
    }()

    /// This test carries out 200 operations of each of 5 walks through each storyboard.
    @Test(
        "A random walk over the segues of an imported storyboard keeps all rules", arguments: paths)
    func walk(path: String) throws {
        guard let app = try Self.app(path) else {
            #expect(!Self.own.contains(path), "the storyboard is no app")
            return
        }
        var performed = 0
        for seed in UInt64(1)...5 {
            var random = SeededGenerator(seed: seed)
            var run = try RandomRun(app, lifecycle: seed % 2 == 0 ? .native : .forwarded)
            for _ in 0..<200 {
                let operation = Self.operation(in: run.window, app, &random)
                if try run.step(operation, animated: true) { performed += 1 }
            }
            try run.restart(in: app)
        }
        #expect(performed > 0)
        if ProcessInfo.processInfo.environment["WAYPOST_STORYBOARDS"] != nil {
            print("walked", performed, path)
        }
    }

    /// Returns the app of a storyboard; nil if it is for another platform or has no initial scene.
    private static func app(_ path: String) throws -> App? {
        do {
            return try AppFiles(storyboard: path).load().app
        } catch {
            let known = ["no initial view controller", "for macOS", "for watchOS"]
            if known.contains(where: "\(error)".contains) { return nil }
            throw error
        }
    }

    private static func operation(
        in window: Window, _ app: App, _ random: inout SeededGenerator
    ) -> NavigationRules.Operation {
        let number = Int.random(in: 0..<10, using: &random)
        let segues = window.topViewController.scene.segues
        if number < 4, let tap = window.taps(in: app).randomElement(using: &random) {
            return .tap(TapControl(tap))
        }
        if number < 7, let segue = segues.randomElement(using: &random) {
            return .segue(segue.identifier, parameters: [:], from: nil)
        }
        return [.back, .swipeDown, .dismiss(nil), .popToRoot, .tapTab(number % 3)]
            .randomElement(using: &random) ?? .pop
    }

    @Test("The tabs, titles and segues of a project of two storyboards become one app")
    func shop() throws {
        let app = try #require(try Self.app(Self.paths[0]))
        var window = Window.launch(app, lifecycle: .native).window
        #expect(window.tabBar?.items.map(\.title) == ["Catalogue", "Favorites", "Settings"])
        #expect(window.navigationBar?.title == "Products")
        func tap(_ title: String) throws {
            _ = try window.perform(.tap(TapControl(title: title)), animated: true, in: app)
        }
        try tap("Product 2")
        #expect(window.topViewController.scene.name == "ProductViewController")
        #expect(window.navigationBar?.backButton?.title == "All")
        // The button belongs to an embedded scene.
        try tap("Write")
        #expect(window.layers.count == 2)
        try tap("Close")
        // The name of the unwind action contains the class of the first scene.
        #expect(window.layers.count == 1)
        #expect(window.topViewController.scene.name == "ProductsViewController")
    }
}
