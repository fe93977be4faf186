import AppDefinition
import AppLoading
import TestSupport
import Testing

@Suite struct TabBarWarningTests {
    @Test(
        "A tab bar of more than five tabs has a warning",
        arguments: [(5, []), (6, ["scenes.tabs.tabs[5]"])])
    func moreList(count: Int, expected: [String]) throws {
        let tabs = Array(repeating: #"{ "scene": "one" }"#, count: count).joined(separator: ", ")
        let folder = try TemporaryFolder()
        let storyboard = try folder.write(
            """
            { "name": "Tabs", "initialScene": "tabs",
              "scenes": { "tabs": { "kind": "tabBar", "tabs": [\(tabs)] },
                          "one": { "kind": "blank" } } }
            """, to: "storyboard.json")
        let warnings = try AppFiles(storyboard: storyboard).load().warnings
        #expect(warnings.map(\.keyPath) == expected)
    }
}
