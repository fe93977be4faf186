import Foundation
import HTTPCore
import Testing
import WaypostCore
import WaypostTesting
import Yams

@testable import OpenAPI
@testable import WaypostAPI

/// Tests that `openapi.yaml` agrees with the service.
@Suite @MainActor struct OpenAPITests {
    /// The file is read once. The actor is there because its nodes are not `Sendable`.
    private static let description = Result { try OpenAPIDescription(yaml: Self.file) }

    private static var file: Data {
        get throws { try Data(contentsOf: Shell.checkout.appending(path: "openapi.yaml")) }
    }

    @Test("openapi.yaml has exactly one operation for each route") func operations() throws {
        let routes = try TestService().api.pipeline.router.routes.map {
            "\($0.method.name) \($0.path)"
        }
        #expect(try Self.description.get().operations.map(\.name).sorted() == routes.sorted())
    }

    @Test("Each operation has the query parameters and the token of its route") func requests()
        throws
    {
        let schemes: [Secret.Purpose?: String] = [
            .session: "sessionToken", .credential: "credential",
        ]
        let operations = try Self.description.get().operations
        for route in try TestService().api.pipeline.router.routes {
            let name = "\(route.method.name) \(route.path)"
            let operation = try #require(operations.first { $0.name == name })
            #expect(operation.queryNames.sorted() == route.query.sorted(), "\(name)")
            #expect(operation.security == schemes[route.bearer], "\(name)")
        }
    }

    @Test("openapi.yaml is what `make openapi` writes") func current() throws {
        let text = try APIDocument(package: Shell.checkout).text()
        #expect(try Data(text.utf8) == Self.file, "openapi.yaml is not current: run `make openapi`")
    }

    @Test(
        "A mistake in the notation of a schema is named",
        arguments: [
            ("[string, integer]", "an array of several types"),
            ("string | integer", "the type string | integer; expected a type, or a type and null"),
            ("Nothing", "there is no schema Nothing"),
            ("{ extends: Nothing }", "there is no schema Nothing"),
            ("{ oneOf: [Shape], discriminator: kind }", "Shape has no constant kind"),
        ])
    func mistakes(source: String, mistake: String) throws {
        let node = try #require(try Yams.compose(yaml: source))
        let notation = SchemaNotation(
            sources: ["Shape": ["properties": ["name": "string"]]], isClosed: false)
        let error = #expect(throws: SchemaNotation.Mistake.self) { try notation.schema(node) }
        #expect(error?.description == mistake)
    }

    @Test("People write less than 2,000 lines for openapi.yaml") func size() throws {
        let folders = ["Sources/Tools/OpenAPI/Fragments", "Sources/Service/WaypostAPI/Description"]
        let files = try folders.flatMap { name in
            let folder = Shell.checkout.appending(path: name)
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".yaml") || $0.hasSuffix("+Description.swift") }
                .map { folder.appending(path: $0) }
        }
        let lines = try files.map { try Data(contentsOf: $0).count { $0 == UInt8(ascii: "\n") } }
        #expect(files.count > 15)
        #expect(lines.reduce(0, +) < 2000)
    }

    @Test("The schema of problems lists exactly the codes of the service, each with its status")
    func codes() throws {
        let code = try #require(
            try Self.description.get().schema("Problem")?["properties"]?["code"])
        let codes = code["x-extensible-enum"]?.array().compactMap(\.string)
        #expect(codes == Problem.Kind.all.map(\.code).sorted())
        for kind in Problem.Kind.all {
            let line = code.text("description").split(separator: "\n")
                .first { $0.hasPrefix("- \(kind.status.code):") }
            #expect(line?.contains("`\(kind.code)`") == true, "\(kind)")
        }
    }

    @Test("A client may meet a code that the schema of problems does not list") func openCodes()
        throws
    {
        let code = try #require(
            try Self.description.get().schema("Problem")?["properties"]?["code"])
        #expect(code["enum"] == nil)
        #expect(code.text("description").contains("treat an unknown code by its status"))
    }

    @Test("Each operation has a response for problems, and lists codes of the service")
    func refusals() throws {
        let codes = Set(Problem.Kind.all.map(\.code))
        for operation in try Self.description.get().operations {
            #expect(operation.responses.contains { $0.status == "default" }, "\(operation.name)")
            let own = operation.node["x-problem-codes"]?.array().compactMap(\.string) ?? []
            #expect(codes.isSuperset(of: own) && own == own.sorted(), "\(operation.name)")
        }
    }

    @Test("Each operation has a response for each status of its problems, which lists their codes")
    func statuses() throws {
        let operations = try Self.description.get().operations
        let all = Set(RouteDescription.all.flatMap(\.allProblems) + RouteDescription.commonProblems)
        for route in RouteDescription.all {
            let name = "\(route.method.name) \(route.path)"
            let operation = try #require(operations.first { $0.name == name })
            let responses = operation.node.members("responses").filter {
                "45".contains($0.name.prefix(1))
            }
            let kinds = Dictionary(grouping: route.allProblems, by: \.status.code)
            #expect(responses.map(\.name) == kinds.keys.sorted().map(String.init), "\(name)")
            for (status, response) in responses {
                #expect(response["$ref"]?.string == "#/components/responses/Problem\(status)")
                let shared = try #require(operation.responses.first { $0.status == status })
                let codes = shared.response.text("description").split(separator: "`")
                    .filter { $0.first?.isLetter == true }.dropFirst().map(String.init)
                #expect(codes == all.filter { "\($0.status.code)" == status }.map(\.code).sorted())
            }
        }
    }

    @Test("The schemas of responses allow further members, and those of requests do not")
    func openResponses() throws {
        let description = try Self.description.get()
        #expect(!description.responseObjects.isEmpty && !description.requestObjects.isEmpty)
        for (name, object) in description.responseObjects {
            #expect(object["additionalProperties"]?.bool != false, "\(name)")
            #expect(object["unevaluatedProperties"]?.bool != false, "\(name)")
        }
        for (name, object) in description.requestObjects {
            #expect(object["additionalProperties"]?.bool == false, "\(name)")
        }
    }

    @Test("Each reference in openapi.yaml has a target") func references() throws {
        let description = try Self.description.get()
        for reference in description.references {
            #expect(description.target(of: reference) != nil, "\(reference)")
        }
    }

    @Test("Each operation in openapi.yaml has its own id, a summary and described responses")
    func descriptions() throws {
        let operations = try Self.description.get().operations
        let ids = operations.map { $0.node.text("operationId") }
        #expect(Set(ids).count == ids.count && !ids.contains(""))
        for operation in operations {
            #expect(!operation.node.text("summary").isEmpty, "\(operation.name)")
            #expect(!operation.responses.isEmpty, "\(operation.name)")
            for (status, response) in operation.responses {
                #expect(!response.text("description").isEmpty, "\(operation.name) \(status)")
            }
        }
    }

    @Test("GET /openapi.yaml sends the file byte for byte") func download() async throws {
        let reply = try await TestService().api.send("GET", "/openapi.yaml")
        #expect(reply.status == 200)
        #expect(try Data(reply.bytes) == Self.file)
    }
}
