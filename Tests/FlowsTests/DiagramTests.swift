import Testing

@testable import Flows

@Suite struct DiagramTests {
    @Test("A diagram shows conditions, flags, members' scenes, and what closes a layer")
    func labels() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "home", "loginScene": "login", "guests": true,
             "flags": {"subscribed": false}, "scenes": {
              "home": {"kind": "blank", "access": "everyone",
                "buttons": [{"title": "Join", "set": {"subscribed": true}, "when": "!subscribed"},
                            {"title": "Play", "segue": "play"}],
                "segues": [{"identifier": "play", "kind": "show", "scene": "mine",
                            "when": "subscribed"},
                           {"identifier": "offer", "kind": "present", "scene": "holder"},
                           {"identifier": "enter", "kind": "present", "scene": "login"}]},
              "mine": {"kind": "blank"},
              "holder": {"kind": "navigation", "root": "offer"},
              "offer": {"kind": "blank", "access": "everyone",
                "segues": [{"identifier": "more", "kind": "show", "scene": "price"}]},
              "price": {"kind": "blank", "access": "everyone",
                "segues": [{"identifier": "close", "kind": "dismiss"}]},
              "login": {"kind": "form", "access": "login", "submit": "log-in",
                "segues": [{"identifier": "cancel", "kind": "dismiss"}]}}}
            """, "app.json")
        let graph = StoryboardGraph(try loadApp(file).storyboard)
        let edges = graph.edges.map { "\($0.from) \($0.label) \($0.to)" }
        #expect(edges.contains("home play [subscribed] mine"))
        #expect(edges.contains("home set subscribed [!subscribed] home"))
        #expect(graph.edges.filter { $0.kind == .dismiss }.map(\.label) == ["close"])
        #expect(edges.contains("price close home"))
        #expect(graph.nodes.filter(\.isLocked).map(\.name) == ["mine"])
        #expect(graph.mermaid.contains(#" -.->|"close"| "#))
        #expect(graph.mermaid.contains(#" ==>|"offer"| "#))
        #expect(graph.dot.contains(#""price" -> "home" [label="close", style=dashed];"#))
        #expect(graph.dot.contains(#""home" -> "holder" [label="offer", style=bold];"#))
        for text in [graph.mermaid, graph.dot] {
            #expect(text.contains("🔒 mine"))
        }
    }

    @Test("A diagram shows which of two segues with one identifier flows have used")
    func usedBranch() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "home", "flags": {"paid": false}, "scenes": {
              "home": {"kind": "blank", "segues": [
                {"identifier": "play", "kind": "show", "scene": "player", "when": "paid"},
                {"identifier": "play", "kind": "present", "scene": "wall", "when": "!paid"}]},
              "player": {"kind": "blank"}, "wall": {"kind": "blank"}}}
            """, "app.json")
        let graph = StoryboardGraph(
            try loadApp(file).storyboard, used: ["segue home.play !paid"])
        let used = graph.edges.filter { $0.isUsed == true }.map(\.label)
        #expect(used == ["play [!paid]"])
    }
}
