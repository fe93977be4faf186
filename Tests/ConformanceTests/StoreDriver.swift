import JSON
import Testing
import WaypostTesting

/// Runs a case against a service, and requires that each answer is that of the rules.
///
/// The rules give what a case reads after a step, so that a step needs one request.
final class StoreDriver: Driver {
    let id: String
    private(set) var storyboard: String
    private let service: HTTPDriver
    private let rules: CoreDriver

    init(_ service: HTTPDriver, _ aCase: Case) throws {
        self.service = service
        id = aCase.id
        storyboard = aCase.storyboard
        rules = try CoreDriver(
            ConformanceTests.app(aCase), lifecycle: aCase.lifecycle, isStrict: aCase.isStrict,
            flags: aCase.flags, username: aCase.id)
    }

    func perform(_ operation: String, _ body: JSONValue) async throws -> Answer {
        let answer = try await service.perform(operation, body)
        let expected = try rules.perform(operation, body)
        #expect(answer.status == expected.status, "\(id): \(operation)")
        #expect(answer.body.shared == expected.body.shared, "\(id): \(operation)")
        return expected
    }

    func session() throws -> JSONValue { try rules.session() }

    func read(_ name: String) throws -> Answer { try rules.read(name) }

    func events() throws -> [JSONValue] { try rules.events() }

    func restart(_ storyboard: String) async throws {
        self.storyboard = storyboard
        try await service.restart(storyboard)
        try rules.restart(storyboard)
        try await check("\(id), restarted")
    }

    /// Continues with another service on the same store.
    func move(to service: TestService) { self.service.move(to: service) }

    /// Reads the session and its log, and compares them with those of the rules.
    func check(_ place: Comment) async throws {
        #expect(try await service.session().shared == rules.session().shared, place)
        let layers = try await service.read("layers").body["layers"]
        #expect(try layers == rules.read("layers").body["layers"], place)
        #expect(try await service.wholeLog() == rules.events(), place)
    }
}

extension JSONValue {
    /// The answer without what each session has for itself.
    fileprivate var shared: JSONValue {
        guard case .object(let object) = self else { return self }
        let own = ["id", "createdAt", "expiresAt", "credential", "requestId"]
        return .object(
            JSONObject(
                members: object.members.filter { !own.contains($0.name) }.map {
                    .init(name: $0.name, value: $0.name == "session" ? $0.value.shared : $0.value)
                }))
    }
}
