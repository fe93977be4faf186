import Foundation
import HTTPCore
import WaypostAPI
import Yams

/// The description of the HTTP API in the format OpenAPI 3.1.
///
/// Its paths come from the descriptions of the routes, the requests for operations from their
/// declarations, the codes of problems from `Problem.Kind`. What else it says is in `Fragments`.
struct APIDocument {
    static let firstLine = """
        # `make openapi` writes this file from the declarations of the routes
        # (Sources/Service/WaypostAPI/Description), operations
        # (Sources/Rules/NavigationRules/Operations) and problems, and from
        # Sources/Tools/OpenAPI/Fragments: edit those.

        """

    private let fragments: Fragments
    private let routes: [RouteDescription]

    /// Reads the fragments.
    /// - Parameter package: the folder of the package.
    init(package: URL, routes: [RouteDescription] = RouteDescription.all) throws {
        fragments = try Fragments(
            folder: package.appending(path: "Sources/Tools/OpenAPI/Fragments"))
        self.routes = routes
    }

    func text() throws -> String { try Self.firstLine + root().document() }

    private func root() throws -> Node {
        let head = fragments.document.members.map { ($0.name, $0.node) }
        let paths = paths()
        return .object(head + [("paths", paths), ("components", try components(of: paths))])
    }

    private func paths() -> Node {
        var names: [String] = []
        for route in routes where !names.contains(route.path) { names.append(route.path) }
        return .object(
            names.map { path in
                let routes = routes.filter { $0.path == path }
                let parameters = routes[0].pathParameters.map {
                    Node.reference("parameters", $0.prefix(1).uppercased() + $0.dropFirst())
                }
                let operations = routes.map {
                    ($0.method.name.lowercased(), PathOperation($0, fragments, links: links).node())
                }
                return (
                    path,
                    .object(
                        (parameters.isEmpty ? [] : [("parameters", .array(parameters))])
                            + operations)
                )
            })
    }

    /// The operations that take the id of the session in a response, for tools that follow links.
    private var links: Node {
        .object(
            routes.filter(\.isOfSession).map { route in
                let parameters = route.pathParameters.map { name in
                    let member = name == "session" ? "id" : "viewControllers/0/id"
                    return (name, Node.text("$response.body#/\(member)"))
                }
                let link: Node = [
                    "operationId": .text(route.operationID), "parameters": .object(parameters),
                ]
                return (route.operationID, link)
            })
    }

    private func components(of paths: Node) throws -> Node {
        let pages = Set(routes.filter(\.answer.isPage).compactMap(\.answer.schema)).sorted()
        let schemas =
            try fragments.schemas() + OperationSchemas(fragments: fragments).schemas()
            + pages.map { ($0 + "Page", page(of: $0)) }
        let others = [
            ("securitySchemes", fragments.securitySchemes),
            ("parameters", try fragments.parameters()),
            ("headers", fragments.headers()),
            ("responses", responses()),
        ]
        // A schema that only others extend would become a type of its own in generated clients.
        let references = Set(
            [paths, .object(others), .object(schemas)].flatMap(\.references))
        let used = schemas.filter { references.contains("#/components/schemas/\($0.0)") }
        return .object(others + [("schemas", .object(used))])
    }

    private func page(of schema: String) -> Node {
        [
            "type": "object", "required": ["items", "next"],
            "properties": [
                "items": ["type": "array", "items": .reference("schemas", schema)],
                "next": .reference("schemas", "Next"),
            ],
        ]
    }

    private func responses() -> Node {
        .object(
            [
                ("Problem", problem()), ("Change", change("Change")),
                ("LogInChange", change("LogInChange")),
                ("NotModified", notModified("Revalidated")),
                ("SharedNotModified", notModified("Cacheable")),
                ("PageNotModified", notModified("NoCache")),
            ] + problemsByStatus())
    }

    /// The response to a change of a session, which many operations share.
    private func change(_ schema: String) -> Node {
        let answer = RouteDescription.Answer.change(schema)
        return [
            "description": "The outcome, and the session after it.",
            "headers": fragments.headers(answer.headers + ["IdempotencyReplayed", "NoStore"]),
            "content": ["application/json": fragments.content(schema)],
        ]
    }

    private func notModified(_ caching: String) -> Node {
        [
            "description": "The client has the current version. No body.",
            "headers": fragments.headers(["ETag", caching]),
        ]
    }

    private static let problemDescription = """
        The service refuses the request. Unless the page of the problem says otherwise, nothing is \
        changed. `x-problem-codes` has the codes that every operation can have; each operation has a \
        list of its own codes.
        """

    /// The response of all operations to a request that they refuse.
    private func problem() -> Node {
        [
            "description": .text(Self.problemDescription),
            "headers": fragments.headers(fragments.problemHeaders),
            "content": ["application/problem+json": fragments.content("Problem")],
            "x-problem-codes": .texts(RouteDescription.commonProblems.map(\.code).sorted()),
        ]
    }

    /// Returns a refusal for each status that operations list, with all codes that any operation can
    /// have with this status.
    private func problemsByStatus() -> [(String, Node)] {
        let listed = Set(routes.flatMap(\.allProblems))
        return Set(listed.map(\.status.code)).sorted().map { status in
            let codes = listed.union(RouteDescription.commonProblems)
                .filter { $0.status.code == status }.map { "`\($0.code)`" }.sorted()
            let response: Node = [
                "description": .text("A refusal: \(codes.joined(separator: ", "))."),
                "headers": fragments.headers(fragments.problemHeaders(ofStatus: status)),
                "content": [
                    "application/problem+json": ["schema": .reference("schemas", "Problem")]
                ],
            ]
            return ("Problem\(status)", response)
        }
    }
}
