import Yams

extension Node {
    /// A string. It is in quotes where YAML would read something else, such as a number.
    static func text(_ text: some StringProtocol) -> Node {
        let text = String(text)
        let plain = Node.Scalar(text)
        return .scalar(
            Node(text).tag == .init(.str) || text.contains("\n")
                ? plain : Node.Scalar(text, .init(.str), .doubleQuoted))
    }

    static func texts(_ texts: some Swift.Sequence<String>) -> Node {
        .sequence(Node.Sequence(texts.map { text($0) }))
    }

    static func integer(_ integer: Int) -> Node { Node(String(integer)) }

    static var `true`: Node { Node("true") }
    static var `false`: Node { Node("false") }

    static func object(_ members: [(String, Node)]) -> Node {
        .mapping(Node.Mapping(members.map { (text($0.0), $0.1) }))
    }

    static func array(_ elements: [Node]) -> Node { .sequence(Node.Sequence(elements)) }

    /// Returns a reference to a component of the document.
    static func reference(_ kind: String, _ name: String) -> Node {
        .object([("$ref", .text("#/components/\(kind)/\(name)"))])
    }

    /// The members of a mapping in the order of the file; empty for other nodes.
    var members: [(name: String, node: Node)] {
        mapping?.map { ($0.key.string ?? "", $0.value) } ?? []
    }

    var elements: [Node] { sequence.map(Array.init) ?? [] }

    /// The values of all `$ref` members, in the node and below it.
    var references: [String] {
        members.flatMap { name, node in
            name == "$ref" ? [node.string ?? ""] : node.references
        } + elements.flatMap(\.references)
    }
}
