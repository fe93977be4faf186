import Foundation
import HTTPCore
import WaypostAPI
import Yams

/// The parts of the document that people write, in `Sources/Tools/OpenAPI/Fragments`.
struct Fragments {
    /// The document without paths and components.
    let document: Node
    let securitySchemes: Node
    /// The schemas of the messages of a stream, by the name of the event.
    let messages: Node
    private let parameterSources: Node
    private let headerSources: Node
    private let exampleSources: Node
    /// The schemas by file, in the short notation.
    private let schemaSources: [(isClosed: Bool, schemas: Node)]

    /// The files with schemas. Objects of `requests` are closed: the service refuses unknown
    /// members. Those of responses are open, since later versions may add members.
    private static let schemaFiles = [
        "names", "requests", "session", "changes", "storyboard", "catalog", "account", "problem",
    ]

    init(folder: URL) throws {
        func file(_ name: String) throws -> Node {
            let data = try Data(contentsOf: folder.appending(path: "\(name).yaml"))
            return try Yams.compose(yaml: String(decoding: data, as: UTF8.self)) ?? .object([])
        }
        document = try file("document")
        securitySchemes = try file("security")
        parameterSources = try file("parameters")
        headerSources = try file("headers")
        exampleSources = try file("examples")
        schemaSources = try Self.schemaFiles.map {
            (isClosed: $0 == "requests", schemas: try file($0))
        }
        messages = .object(
            ["snapshot", "change", "end"].map {
                ($0, .reference("schemas", $0.prefix(1).uppercased() + $0.dropFirst() + "Message"))
            })
    }

    /// All schemas in the short notation, by name.
    private var sources: [String: Node] {
        Dictionary(
            schemaSources.flatMap { $0.schemas.members.map { ($0.name, $0.node) } },
            uniquingKeysWith: { first, _ in first })
    }

    func schemas() throws -> [(String, Node)] {
        let sources = sources
        return try schemaSources.flatMap { isClosed, schemas in
            let notation = SchemaNotation(sources: sources, isClosed: isClosed)
            return try schemas.members.map { name, source in
                do {
                    let schema = try notation.schema(source)
                    return (name, name == "Problem" ? problemSchema(schema) : schema)
                } catch let error as SchemaNotation.Mistake {
                    throw SchemaNotation.Mistake(description: "the schema \(name): \(error)")
                }
            }
        }
    }

    /// Returns the schema of problems with all their codes. They are no enum, since later versions
    /// may add codes.
    private func problemSchema(_ schema: Node) -> Node {
        var schema = schema
        let kinds = Dictionary(grouping: Problem.Kind.all, by: \.status.code).sorted {
            $0.key < $1.key
        }
        let table = kinds.map { status, kinds in
            "\(status): " + kinds.map { "`\($0.code)`" }.sorted().joined(separator: ", ")
        }
        let description = schema["properties"]?["code"]?["description"]?.string ?? ""
        schema["properties"]?["code"]?["description"] = .text(
            description + "\n\n" + table.map { "- \($0)" }.joined(separator: "\n"))
        schema["properties"]?["code"]?["x-extensible-enum"] = .texts(
            Problem.Kind.all.map(\.code).sorted())
        return schema
    }

    func parameters() throws -> Node {
        let notation = SchemaNotation(sources: sources, isClosed: true)
        return .object(
            try parameterSources.members.map { name, source in
                var source = source
                source["schema"] = try source["schema"].map(notation.schema)
                if source["in"] == "path" { source["required"] = .true }
                return (name, source)
            })
    }

    func headers() -> Node {
        .object(
            headerSources.members.map { name, source in
                let keywords = source.members.filter { $0.name != "name" }
                return (name, .object(keywords.map { ($0.name, $0.node) }))
            })
    }

    /// Returns references to header fields by their field names.
    func headers(_ names: [String]) -> Node {
        .object(
            names.map { name in
                (headerSources[name]?["name"]?.string ?? name, .reference("headers", name))
            })
    }

    /// The header fields of problems that not all problems have.
    let problemHeaders = [
        "NoStore", "ProblemETag", "WWWAuthenticate", "Accept", "AcceptPatch", "RetryAfter",
        "RateLimitPolicy", "RateLimit", "ProblemContentRange",
    ]

    /// Returns those of them that problems with a status can have.
    func problemHeaders(ofStatus status: Int) -> [String] {
        let others: [Int: [String]] = [
            401: ["WWWAuthenticate"], 412: ["ProblemETag"], 415: ["Accept", "AcceptPatch"],
            416: ["ProblemContentRange"], 429: ["RetryAfter", "RateLimitPolicy", "RateLimit"],
            503: ["RetryAfter"],
        ]
        return ["NoStore"] + (others[status] ?? [])
    }

    /// Examples of members of operations, by the name of the member.
    var memberExamples: Node { exampleSources["Members"] ?? .object([]) }

    /// Returns the name of the schema for one of these texts; nil if there is none.
    func name(ofEnum texts: [String]) -> String? {
        sources.first { $0.value["enum"]?.elements.compactMap(\.string) == texts }?.key
    }

    /// Returns the first example of a schema for names and ids.
    func example(ofNamed schema: String) -> Node {
        sources[schema]?["examples"]?.elements.first ?? .text(schema)
    }

    /// Returns the content of a request or response with this schema, and with its examples.
    func content(_ schema: String) -> Node {
        .object([("schema", .reference("schemas", schema))] + examples(of: schema))
    }

    private func examples(of schema: String) -> [(String, Node)] {
        if let example = OperationSchemas(fragments: self).example(of: schema) {
            return [("example", example)]
        }
        guard let examples = exampleSources[schema]?.members, !examples.isEmpty else { return [] }
        return [("examples", .object(examples.map { ($0.name, .object([("value", $0.node)])) }))]
    }
}
