extension StoryboardGraph {
    /// Returns the lines of text in a node: the name of the scene, and its title if the title
    /// differs from the name. A lock marks a scene that guests do not see.
    private func label(of node: Node) -> [String] {
        [node.isLocked ? "🔒 \(node.name)" : node.name]
            + (node.title.map { $0 == node.name ? [] : [$0] } ?? [])
    }

    private var identifiers: [String: String] {
        var identifiers: [String: String] = [:]
        for (index, node) in nodes.enumerated() { identifiers[node.name] = "s\(index)" }
        return identifiers
    }

    /// The graph as a Mermaid flowchart. The scenes that are shown before the log-in form a
    /// subgraph.
    package var mermaid: String {
        func quoted(_ text: String) -> String {
            "\""
                + text.replacing("#", with: "#35;").replacing("\"", with: "#quot;")
                .replacing("<", with: "#lt;").replacing(">", with: "#gt;") + "\""
        }
        let ids = identifiers
        var lines = ["flowchart LR"]
        func write(_ node: Node, _ indent: String) {
            let text = quoted(label(of: node).joined(separator: "\n")).replacing(
                "\n", with: "<br>")
            let (left, right) = node.isRoot ? ("([", "])") : ("[", "]")
            lines.append("\(indent)\(ids[node.name] ?? "")\(left)\(text)\(right)")
        }
        let login = nodes.filter(\.isLogin)
        if !login.isEmpty {
            lines.append("  subgraph wall[\"before the log-in\"]")
            for node in login { write(node, "    ") }
            lines.append("  end")
        }
        for node in nodes where !node.isLogin { write(node, "  ") }
        for edge in edges {
            guard let from = ids[edge.from], let to = ids[edge.to] else { continue }
            let arrow =
                switch edge.kind {
                case .present: "==>"
                case let kind where kind.isReturn: "-.->"
                default: "-->"
                }
            lines.append("  \(from) \(arrow)|\(quoted(edge.label))| \(to)")
        }
        lines.append("  classDef used fill:#d7f5dd,stroke:#17803d,color:#000")
        lines.append("  classDef unused fill:#fbdcdc,stroke:#c22,color:#000")
        for node in nodes {
            guard let isUsed = node.isUsed, let id = ids[node.name] else { continue }
            lines.append("  class \(id) \(isUsed ? "used" : "unused")")
        }
        for (index, edge) in edges.enumerated() {
            guard let isUsed = edge.isUsed else { continue }
            lines.append("  linkStyle \(index) stroke:\(isUsed ? "#17803d" : "#c22")")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The graph in DOT, the language of Graphviz. The scenes that are shown before the log-in form
    /// a cluster.
    package var dot: String {
        func quoted(_ text: String) -> String {
            "\""
                + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n") + "\""
        }
        func color(_ isUsed: Bool?) -> String {
            isUsed.map { $0 ? ", color=\"#17803d\"" : ", color=\"#cc2222\"" } ?? ""
        }
        func line(_ node: Node) -> String {
            let text = quoted(label(of: node).joined(separator: "\n"))
            let root = node.isRoot ? ", peripheries=2" : ""
            return "\(quoted(node.name)) [label=\(text)\(root)\(color(node.isUsed))];"
        }
        var lines = [
            "digraph \(quoted(name)) {", "  rankdir=LR;", "  node [shape=box, style=rounded];",
        ]
        let login = nodes.filter(\.isLogin)
        if !login.isEmpty {
            lines.append("  subgraph cluster_wall {")
            lines.append("    label=\"before the log-in\";")
            lines += login.map { "    \(line($0))" }
            lines.append("  }")
        }
        lines += nodes.filter { !$0.isLogin }.map { "  \(line($0))" }
        for edge in edges {
            let style =
                switch edge.kind {
                case .present: ", style=bold"
                case let kind where kind.isReturn: ", style=dashed"
                default: ""
                }
            lines.append(
                "  \(quoted(edge.from)) -> \(quoted(edge.to)) "
                    + "[label=\(quoted(edge.label))\(style)\(color(edge.isUsed))];")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }
}
