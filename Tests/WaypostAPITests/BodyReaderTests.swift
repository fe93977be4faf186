import HTTPCore
import JSON
import Navigation
import Testing

@testable import WaypostAPI

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
            (error as? Problem)?.members == [
                .init(
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
        _ = Batch(&reader)
        #expect {
            try reader.finish()
        } throws: { error in
            (error as? Problem)?.members == [
                .init(pointer: "/operations", detail: "expected at most 1000 entries, found 1001")
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
            (error as? Problem)?.members
                == [.init(pointer: "/parameters/a", detail: "expected a string, found an integer")]
        }
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
            (error as? Problem)?.members == [
                .init(pointer: "/leftItems/1", detail: "expected a string, found null"),
                .init(pointer: "/leftItems/2", detail: "expected a string, found an integer"),
            ]
        }
    }

    @Test("An unknown operation in a batch is reported once, regardless of its members")
    func unknownOperation() {
        let operation = JSONValue.object(
            JSONObject(
                members: [JSONObject.Member(name: "op", value: .string("none"))] + Self.members))
        var reader = BodyReader(
            JSONObject(members: [JSONObject.Member(name: "operations", value: .array([operation]))])
        )
        _ = Batch(&reader)
        #expect {
            try reader.finish()
        } throws: { error in
            (error as? Problem)?.members.map(\.pointer) == ["/operations/0/op"]
        }
    }
}
