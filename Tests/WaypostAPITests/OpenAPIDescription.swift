import Foundation
import Testing
import Yams

/// The parts of `openapi.yaml` that tests use.
struct OpenAPIDescription {
    struct Operation {
        /// The method and the path, such as `POST /v1/sessions/{session}/push`.
        let name: String
        let node: Node
        /// The responses by status, with references resolved.
        let responses: [(status: String, response: Node)]
        /// The names of the query parameters.
        let queryNames: [String]
        /// The name of the security scheme; nil if everybody may send the request.
        var security: String? { node["security"]?.sequence?.first?.members.first?.name }
    }

    private let root: Node

    init(yaml: Data) throws {
        root = try #require(try Yams.compose(yaml: String(decoding: yaml, as: UTF8.self)))
    }

    var operations: [Operation] {
        root.members("paths").flatMap { path, item in
            item.members.filter { Self.methods.contains($0.name) }.map { method, node in
                Operation(
                    name: "\(method.uppercased()) \(path)", node: node,
                    responses: node.members("responses").map { ($0.name, resolved($0.node)) },
                    queryNames: (node["parameters"]?.array() ?? []).map(resolved)
                        .filter { $0["in"]?.string == "query" }.map { $0.text("name") })
            }
        }
    }

    private static let methods: Set = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ]

    /// Returns the schema of a name; nil if there is none.
    func schema(_ name: String) -> Node? { target(of: "#/components/schemas/\(name)") }

    /// The schemas of objects with listed properties in JSON responses, and where they are.
    var responseObjects: [(String, Node)] {
        objects(in: operations.flatMap { operation in operation.responses.map(\.response) })
    }

    /// The schemas of objects with listed properties in requests, and where they are.
    var requestObjects: [(String, Node)] {
        objects(in: operations.compactMap { $0.node["requestBody"] })
    }

    private func objects(in bodies: [Node]) -> [(String, Node)] {
        var visited: Set<String> = []
        var found: [(String, Node)] = []
        func visit(_ node: Node, _ name: String) {
            if let reference = node["$ref"]?.string {
                guard visited.insert(reference).inserted, let target = target(of: reference) else {
                    return
                }
                return visit(target, reference)
            }
            if node["properties"] != nil { found.append((name, node)) }
            for (member, node) in node.members where member != "examples" && member != "links" {
                visit(node, "\(name)/\(member)")
            }
            for node in node.sequence ?? [] { visit(node, name) }
        }
        for body in bodies { visit(body, "") }
        return found
    }

    /// The values of all `$ref` members.
    var references: [String] { Self.references(in: root) }

    private static func references(in node: Node) -> [String] {
        node.members.filter { $0.name == "$ref" }.compactMap(\.node.string)
            + node.members.flatMap { references(in: $0.node) }
            + (node.sequence?.flatMap { references(in: $0) } ?? [])
    }

    /// Returns the target of a reference.
    /// - Parameter reference: a reference within the file, such as `#/components/schemas/Session`.
    func target(of reference: String) -> Node? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(root) { node, name in
            node?[String(name)]
        }
    }

    private func resolved(_ node: Node) -> Node {
        node["$ref"]?.string.flatMap { target(of: $0) } ?? node
    }
}

extension Node {
    var members: [(name: String, node: Node)] {
        mapping?.compactMap { key, node in key.string.map { ($0, node) } } ?? []
    }

    func members(_ name: String) -> [(name: String, node: Node)] { self[name]?.members ?? [] }

    /// Returns the text of a member; empty if there is none.
    func text(_ name: String) -> String { self[name]?.string ?? "" }
}
