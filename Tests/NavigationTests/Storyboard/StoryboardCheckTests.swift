import TestSupport
import Testing

@testable import NavigationRules

@Suite struct StoryboardCheckTests {
    @Test("Each defect of a storyboard is reported with its key path and the reason")
    func keyPaths()
        throws
    {
        for wrong in try WrongStoryboard.wrong() + WrongStoryboard.wrongContainers() {
            let draft = StoryboardDraft(
                name: "Wrong", loginScene: wrong.loginScene, initialScene: wrong.initialScene,
                segments: wrong.segments, scenes: wrong.scenes)
            let error = #expect(throws: StoryboardDefects.self) {
                try Storyboard(draft, dataSource: Numbers())
            }
            let defects = error?.defects ?? []
            #expect(defects.map(\.keyPath) == wrong.defects.map(\.keyPath))
            for (defect, expected) in zip(defects, wrong.defects) {
                #expect(defect.reason.contains(expected.mention), "\(expected.keyPath)")
            }
        }
    }

    private func defects(_ scenes: [Scene]) -> [String] {
        let draft = StoryboardDraft(name: "App", initialScene: "home", scenes: scenes)
        do {
            _ = try Storyboard(draft, dataSource: Numbers())
            return []
        } catch {
            return error.defects.map(\.keyPath)
        }
    }

    @Test("Only the scenes in a cycle of parents have a defect, not those that lead into it")
    func circles() {
        let parents = [
            "home": nil, "a": "b", "b": "c", "c": "b", "d": "a", "e": "home", "f": "f", "g": "f",
        ]
        for seed in 1..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let scenes = parents.map { Scene(name: $0, kind: .blank, parent: $1) }
                .shuffled(using: &generator)
            #expect(
                defects(scenes) == ["scenes.b.parent", "scenes.c.parent", "scenes.f.parent"])
        }
    }

    @Test(
        "A chain of 20,000 parents is checked, with and without a cycle at its end",
        .timeLimit(.minutes(1)))
    func longChain() {
        let chain = (1..<20_000).map {
            Scene(name: "s\($0)", kind: .blank, parent: $0 == 1 ? "home" : "s\($0 - 1)")
        }
        #expect(defects([WrongStoryboard.home] + chain).isEmpty)
        let closed = chain.dropFirst() + [Scene(name: "s1", kind: .blank, parent: "s19999")]
        #expect(defects([WrongStoryboard.home] + closed).count == 19_999)
    }

    @Test(
        "The parents of 20,000 links in one chain are walked once", .timeLimit(.minutes(1)))
    func longChainOfLinks() throws {
        let chain = try (1..<20_000).map {
            Scene(
                name: "s\($0)", kind: .blank, paths: [try PathPattern("/s\($0)")],
                parent: $0 == 1 ? "home" : "s\($0 - 1)")
        }
        let scenes = [WrongStoryboard.home] + chain
        let byName = Dictionary(uniqueKeysWithValues: scenes.map { ($0.name, $0) })
        for linked in [chain, chain.reversed()] {
            let chains = LinkChains(to: linked, in: byName)
            #expect(chains.members.count == 20_000)
            let last = try #require(chains[chain[19_998]])
            #expect(last.outermost === WrongStoryboard.home && last.second === chain[0])
            #expect(try #require(chains[WrongStoryboard.home]).second == nil)
        }
        let storyboard = try Storyboard(
            StoryboardDraft(name: "Chain", initialScene: "home", scenes: scenes),
            dataSource: Numbers())
        #expect(storyboard.warnings == [])
    }

    @Test("Only the first 100 defects suggest another name") func suggestions() throws {
        let segues = (0..<120).map { Segue(identifier: "s\($0)", action: .show("hom")) }
        let draft = StoryboardDraft(
            name: "Names", initialScene: "home",
            scenes: [Scene(name: "home", kind: .blank, segues: segues)])
        let error = #expect(throws: StoryboardDefects.self) {
            try Storyboard(draft, dataSource: Numbers())
        }
        let reasons = try #require(error).defects.map(\.reason)
        let advice = "no scene is named hom; did you mean home?"
        #expect(reasons.count == 120 && reasons[99] == advice)
        #expect(reasons[100...].allSatisfy { $0 == "no scene is named hom" })
    }

    @Test(
        "20,000 rows with a segue each, and as many tabs with one, are checked",
        .timeLimit(.minutes(1)))
    func manySegues() {
        let identifiers = (0..<20_000).map { "s\($0)" }
        let table = Scene(
            name: "home", kind: .table,
            segues: identifiers.map { Segue(identifier: $0, action: .show("home")) },
            fixedRows: identifiers.map { FixedRow(title: $0, segue: $0) })
        let tab = Scene.Tab(
            title: nil, scene: "home", shouldSelect: false, whenRefused: identifiers.last)
        let tabs = Scene(
            name: "tabs", kind: .tabBar, tabs: Array(repeating: tab, count: identifiers.count))
        #expect(defects([table, tabs]).isEmpty)
    }

    @Test("A storyboard without defects is accepted") func sound() throws {
        #expect(try TestApp.everything().storyboard.scenes.count == 14)
    }
}
