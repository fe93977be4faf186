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
                    responses: node.members("responses").map { ($0.name, resolved($0.node)) })
            }
        }
    }

    private static let methods: Set = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ]

    var problemCodes: [String] {
        let codes = target(of: "#/components/schemas/Problem/properties/code/enum")
        return codes?.array().compactMap(\.string) ?? []
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
