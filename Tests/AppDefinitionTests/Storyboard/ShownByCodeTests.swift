import AppDefinition
import AppLoading
import TestSupport
import Testing

/// Warnings about scenes to which nothing in a storyboard leads.
@Suite struct ShownByCodeTests {
    private func warnings(_ scenes: String) throws -> [String] {
        let folder = try TemporaryFolder()
        let storyboard = try folder.write(
            """
            { "name": "App", "initialScene": "home",
              "scenes": { "home": { "kind": "blank" }, \(scenes) } }
            """, to: "storyboard.json")
        return try AppFiles(storyboard: storyboard).load().warnings.map {
            "\($0.keyPath): \($0.reason)"
        }
    }

    @Test(
        "Only code shows a scene that is marked, and the scenes to which it leads have no warning")
    func marked() throws {
        let found = try warnings(
            """
            "player": { "kind": "blank", "shownByCode": true,
                        "segues": [{ "identifier": "s", "kind": "show", "scene": "queue" }] },
            "queue": { "kind": "blank" }, "lost": { "kind": "blank" }
            """)
        #expect(
            found == [
                "scenes.lost: no user can reach this scene: no segue, row, tab or link leads here",
                "scenes.player: only code shows this scene (shownByCode): no segue, row, tab or "
                    + "link leads here",
            ])
    }

    @Test("A marked scene that a link opens has no warning") func linked() throws {
        #expect(
            try warnings(#""player": { "kind": "blank", "shownByCode": true, "path": "/p" }"#)
                == [])
    }
}
