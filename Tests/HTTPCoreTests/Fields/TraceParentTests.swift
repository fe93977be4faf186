import HTTPCore
import Testing

@Suite("The field traceparent")
struct TraceParentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test(
        "A traceparent field in the standard's form is accepted",
        arguments: [
            "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-ff", "01-\(trace)-\(parent)-01",
            "cc-\(trace)-\(parent)-01-what-comes-later",
        ])
    func valid(_ field: String) throws {
        let context = try #require(TraceParent(field))
        #expect(context.traceID == Self.trace)
        #expect(context.parentID == Self.parent)
    }

    @Test(
        "A malformed traceparent field is ignored",
        arguments: [
            "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-01-",
            "0-\(trace)-\(parent)-01",
            "ff-\(trace)-\(parent)-01", "00-\(trace.uppercased())-\(parent)-01",
            "00-\(trace.dropLast())-\(parent)-01", "00-\(trace)-\(parent)0-01",
            "00-\(String(repeating: "0", count: 32))-\(parent)-01",
            "00-\(trace)-0000000000000000-01", "00-\(trace)-\(parent)-1",
            "00-\(trace)-\(parent)-0g",
            "00_\(trace)_\(parent)_01", " 00-\(trace)-\(parent)-01",
        ])
    func invalid(_ field: String) {
        #expect(TraceParent(field) == nil)
    }

    @Test("Two traceparent fields are both ignored")
    func two() {
        let field = "00-\(Self.trace)-\(Self.parent)-01"
        #expect(TraceParent(of: ["traceparent": field]) != nil)
        #expect(TraceParent(of: ["traceparent": field, "Traceparent": field]) == nil)
    }
}
