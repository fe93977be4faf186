import HTTPCore
import JSON
import Navigation
import Testing

@testable import WaypostAPI

/// Each of them is linear, or the time is over.
@Suite(.timeLimit(.minutes(10))) struct BodyReaderTests {
    private static let members = (0..<600_000).map {
        JSONObject.Member(name: "\($0)", value: .string("value"))
    }

    @Test func manyParametersAreRead() throws {
        let parameters = JSONValue.object(JSONObject(members: Self.members))
        var reader = BodyReader(
            JSONObject(members: [JSONObject.Member(name: "parameters", value: parameters)]))
        let strings = reader.strings("parameters")
        try reader.finish()
        #expect(strings.count == Self.members.count)
    }

    @Test func aParameterThatIsNoStringIsNamed() {
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

    @Test func manyMembersOfAnUnknownOperationAreIgnored() {
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
