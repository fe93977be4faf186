import Foundation
import Testing

@testable import AppLoading

/// Tests of files that were made to break a reader. Each is answered in under a second.
@Suite struct HostileTests {
    /// Returns the processor time of this thread, which does not grow while other tests run.
    private func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func seconds(_ bytes: [UInt8]) throws -> (UnreadableStoryboard?, Duration) {
        let start = processorTime()
        var found: UnreadableStoryboard?
        do {
            _ = try XcodeStoryboard(bytes, file: "Main.storyboard")
        } catch {
            found = error
        }
        return (found, processorTime() - start)
    }

    @Test("Deep nesting, many elements, UTF-16 and large files are refused in under a second")
    func refused() throws {
        let cases: [([UInt8], String)] = [
            (Array((String(repeating: "<a>", count: 10_000)).utf8), "nest deeper than 128"),
            (Array(("<a>" + String(repeating: "<b/>", count: 200_000) + "</a>").utf8), "elements"),
            (Array("\u{FEFF}<a/>".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }), "UTF-16"),
            ([UInt8](repeating: 0x20, count: 100 << 20), "larger than 8 MiB"),
            ((0...255).map { UInt8($0) }, "binary"),
        ]
        for (bytes, reason) in cases {
            let (error, time) = try seconds(bytes)
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "accepted")")
            #expect(time < .seconds(1), "\(reason)")
        }
    }

    @Test("A storyboard that is cut off anywhere is refused; one with a byte order mark is read")
    func truncated() throws {
        let whole = XcodeStoryboard.bytes(
            """
            <scene sceneID="1"><objects><viewController id="a" sceneMemberID="viewController"/>
            </objects></scene>
            """)
        for part in 1..<50 {
            let error = try seconds(Array(whole.prefix(whole.count * part / 50))).0
            #expect(error != nil, "\(part)/50")
        }
        #expect(try seconds([0xEF, 0xBB, 0xBF] + whole).0 == nil)
    }
}
