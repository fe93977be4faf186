import JSON
import NavigationRules
import Testing
import WaypostCore

/// The time limit fails each test whose work is not linear.
@Suite(.timeLimit(.minutes(10))) struct BodyReaderTests {
    private static let members = (0..<600_000).map {
        JSONObject.Member(name: "\($0)", value: .string("value"))
    }

    @Test("A body with more than the maximum number of parameters is refused without checking each")
    func manyParameters() throws {
        func reader(_ members: some Sequence<JSONObject.Member>) -> BodyReader {
            let parameters = JSONValue.object(JSONObject(members: Array(members)))
            return BodyReader(
                JSONObject(members: [JSONObject.Member(name: "parameters", value: parameters)]))
        }
        var few = reader(Self.members.prefix(BodyReader.maximumFreeMembers))
        #expect(few.strings("parameters").count == BodyReader.maximumFreeMembers)
        try few.finish()
        var many = reader(Self.members)
        #expect(many.strings("parameters").isEmpty)
        #expect {
            try many.finish()
        } throws: { error in
            defects(error) == [
                BodyDefect(
                    pointer: "/parameters", detail: "expected at most 100 members, found 600000")
            ]
        }
    }

    @Test(
        "A batch with more than the maximum number of operations is refused without checking each")
    func manyOperations() {
        let entries = Array(repeating: JSONValue.integer(1), count: Batch.maximumOperations + 1)
        var reader = BodyReader(
            JSONObject(members: [JSONObject.Member(name: "operations", value: .array(entries))]))
        _ = Batch.read(&reader)
        #expect {
            try reader.finish()
        } throws: { error in
            defects(error) == [
                BodyDefect(
                    pointer: "/operations", detail: "expected at most 1000 entries, found 1001")
            ]
        }
    }

    @Test("A parameter that is not a string is reported with its JSON pointer") func parameters() {
        var reader = BodyReader(
            JSONObject(members: [
                JSONObject.Member(
                    name: "parameters",
                    value: .object(
                        JSONObject(members: [JSONObject.Member(name: "a", value: .integer(1))])))
            ]))
        _ = reader.strings("parameters")
        #expect {
            try reader.finish()
        } throws: { error in
            defects(error)
                == [
                    BodyDefect(
                        pointer: "/parameters/a", detail: "expected a string, found an integer")
                ]
        }
    }

    @Test(
        "An optional integer must be at least its minimum",
        arguments: [
            (JSONValue.integer(0), "expected an integer of 1 or more"), (.integer(1), nil),
            (.string("1"), "expected an integer, found a string"), (nil, nil),
        ])
    func minimum(_ value: JSONValue?, _ detail: String?) {
        let members = value.map { [JSONObject.Member(name: "revision", value: $0)] } ?? []
        var reader = BodyReader(JSONObject(members: members))
        _ = reader.optionalInteger("revision", from: 1)
        var found: [BodyDefect]?
        do { try reader.finish() } catch { found = defects(error) }
        #expect(found == detail.map { [BodyDefect(pointer: "/revision", detail: $0)] })
    }

    @Test("An element of a list of strings that is not a string is reported with its JSON pointer")
    func elements() {
        var reader = BodyReader(
            JSONObject(members: [
                JSONObject.Member(
                    name: "leftItems", value: .array([.string("Edit"), .null, .integer(1)]))
            ]))
        _ = reader.optionalStrings("leftItems")
        #expect {
            try reader.finish()
        } throws: { error in
            defects(error) == [
                BodyDefect(pointer: "/leftItems/1", detail: "expected a string, found null"),
                BodyDefect(pointer: "/leftItems/2", detail: "expected a string, found an integer"),
            ]
        }
    }

    @Test(
        "An entry of a batch that is not one known operation is reported once",
        arguments: [
            (#"{"none": {"a": 1, "b": 2}}"#, "/operations/0/none", "unknown operation"),
            (
                #"{"batch": {"operations": []}}"#, "/operations/0/batch",
                "batch is not allowed here: a batch contains no batches"
            ),
            (#"{"patch": {"title": "a"}}"#, "/operations/0/patch/viewController", "missing"),
            (#"{"log-in": {"username": "ada"}}"#, "/operations/0/log-in", "unknown operation"),
            (#"{"op": "push", "scene": "a"}"#, "/operations/0", "expected one member"),
            ("{}", "/operations/0", "expected one member"),
            (#"{"pop": {}, "back": {}}"#, "/operations/0", "expected one member"),
            (#"{"pop": null}"#, "/operations/0/pop", "expected an object"),
        ])
    func unknownOperation(_ entry: String, _ pointer: String, _ detail: String) throws {
        let found = try refusals(by: Batch.self, #"{"operations": [\#(entry)]}"#)
        #expect(found.map(\.pointer) == [pointer])
        #expect(found.first?.detail.hasPrefix(detail) == true)
    }

    @Test(
        "The refusal of an unknown member lists all members that are allowed",
        arguments: [
            (
                Push.self as any NavigationOperation.Type,
                "scene, parameters, viewController, navigationController, animated"
            ),
            (Batch.self, "operations, animated"), (SetFlags.self, "flags"),
            (SetViewControllers.self, "viewControllers, navigationController, animated"),
        ])
    func unknownMember(_ operation: any NavigationOperation.Type, _ members: String) throws {
        let found = try refusals(by: operation, #"{"x": 1}"#)
        #expect(found.last?.detail == "unknown member; expected: \(members)")
    }

    private func refusals(
        by operation: any NavigationOperation.Type, _ json: String
    ) throws -> [BodyDefect] {
        let body = try JSONValue(parsing: Array(json.utf8), maximumDepth: 9)
        guard case .object(let object) = body else { return [] }
        var reader = BodyReader(object)
        _ = operation.read(&reader)
        do { try reader.finish() } catch { return defects(error) ?? [] }
        return []
    }

    @Test("An unknown operation with many members is not read")
    func manyMembersOfUnknownOperation() {
        let operation = JSONValue.object(JSONObject(members: Self.members))
        var reader = BodyReader(
            JSONObject(members: [JSONObject.Member(name: "operations", value: .array([operation]))])
        )
        _ = Batch.read(&reader)
        #expect {
            try reader.finish()
        } throws: { error in
            defects(error)?.map(\.pointer) == ["/operations/0"]
        }
    }
}

private func defects(_ error: any Error) -> [BodyDefect]? {
    guard case .invalid(let defects) = error as? BodyError else { return nil }
    return defects
}
