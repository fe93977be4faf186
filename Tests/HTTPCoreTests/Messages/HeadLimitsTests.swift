import HTTPCore
import Testing

@Suite struct HeadLimitsTests {
    private static func problem(
        target: Int = 1, version: String = "HTTP/1.1", fields: Int = 1, size: Int = 100
    ) -> Problem? {
        HeadLimits(maximumSize: 1000).problem(
            target: String(repeating: "/", count: target), version: version, fieldCount: fields,
            size: size)
    }

    @Test func theLargestHeadIsTaken() {
        #expect(Self.problem(target: 8192, fields: 100, size: 1000) == nil)
    }

    @Test func oneMoreIsRefusedAndTheConnectionClosed() {
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

    @Test(arguments: ["HTTP/1.2", "HTTP/2.0", "HTTP/0.9", ""])
    func otherVersionsAreRefused(_ version: String) {
        #expect(Self.problem(version: version)?.kind == .versionNotSupported)
    }
}
