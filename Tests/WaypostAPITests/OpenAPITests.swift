import Foundation
import HTTPCore
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests that `openapi.yaml` agrees with the service.
@Suite struct OpenAPITests {
    private let description = Result { try OpenAPIDescription(yaml: Self.file) }

    private static var file: Data {
        get throws { try Data(contentsOf: Shell.checkout.appending(path: "openapi.yaml")) }
    }

    @Test("openapi.yaml has exactly one operation for each route") func operations() throws {
        let routes = try TestService().api.router.routes.map { "\($0.method.name) \($0.path)" }
        #expect(try description.get().operations.map(\.name).sorted() == routes.sorted())
    }

    @Test("The schema of problems in openapi.yaml lists exactly the codes of the service")
    func codes() throws {
        let codes = try description.get().problemCodes
        #expect(codes == Problem.Kind.allCases.map(\.code).sorted())
    }

    @Test("Each error response in openapi.yaml names its codes, and they have its status")
    func refusals() throws {
        let statuses = Dictionary(
            uniqueKeysWithValues: Problem.Kind.allCases.map { ($0.code, "\($0.status.code)") })
        for operation in try description.get().operations {
            for (status, response) in operation.responses where status >= "400" {
                let codes = response.text("description").matches(of: /`([a-z]+(-[a-z]+)*)`/)
                    .map { String($0.1) }.filter { statuses[$0] != nil }
                #expect(!codes.isEmpty, "\(operation.name) \(status)")
                #expect(
                    codes.allSatisfy { statuses[$0] == status }, "\(operation.name) \(status)")
            }
        }
    }

    @Test("Each reference in openapi.yaml has a target") func references() throws {
        let description = try description.get()
        for reference in description.references {
            #expect(description.target(of: reference) != nil, "\(reference)")
        }
    }

    @Test("Each operation in openapi.yaml has its own id, a summary and described responses")
    func descriptions() throws {
        let operations = try description.get().operations
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
