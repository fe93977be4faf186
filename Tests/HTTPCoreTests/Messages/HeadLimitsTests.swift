import HTTPCore
import Testing

@Suite struct HeadLimitsTests {
    private static func problem(
        target: Int = 1, version: String = "HTTP/1.1", fields: Int = 1, size: Int = 100
    ) -> Problem? {
        let others = (1..<fields).map { HeaderFields.Field(name: "X-\($0)", value: "") }
        return Framing.problem(
            target: String(repeating: "/", count: target), version: version,
            headers: HeaderFields([.init(name: "Host", value: "a")] + others), size: size,
            maximumSize: 1000)
    }

    @Test("A request head at every limit is accepted") func largest() {
        #expect(Self.problem(target: 8192, fields: 100, size: 1000) == nil)
    }

    @Test("A request head beyond a limit is refused, and the connection is closed") func beyond() {
        let cases: [(Problem?, Problem.Kind)] = [
            (Self.problem(target: 8193), .uriTooLong),
            (Self.problem(fields: 101), .headerFieldsTooLarge),
            (Self.problem(size: 1001), .headerFieldsTooLarge),
        ]
        for (problem, kind) in cases {
            #expect(problem?.kind == kind)
            #expect(problem?.headers["Connection"] == "close")
        }
    }

    @Test(
        "An HTTP version other than 1.0 and 1.1 is refused with 505",
        arguments: ["HTTP/1.2", "HTTP/2.0", "HTTP/0.9", ""])
    func versions(_ version: String) {
        #expect(Self.problem(version: version)?.kind == .versionNotSupported)
    }
}
