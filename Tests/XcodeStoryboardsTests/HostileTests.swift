import TestSupport
import Testing

@testable import AppLoading

/// Tests of files that were made to break a reader. Each is answered in under a second.
@Suite struct HostileTests {
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
            ([UInt8](repeating: 0x20, count: 100 << 20), "the file is larger than 8 MiB"),
            (
                Array("<a \(String(repeating: "b='' ", count: 100_000))/>".utf8),
                "an element has more than 256 attributes"
            ),
            ((0...255).map { UInt8($0) }, "binary"),
        ]
        for (bytes, reason) in cases {
            let (error, time) = try seconds(bytes)
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "accepted")")
            #expect(time < .seconds(1), "\(reason)")
        }
    }

    @Test("Many segues without an identifier or an object id do not take quadratic time")
    func manySegues() throws {
        let segues = String(repeating: #"<segue destination="a" kind="show"/>"#, count: 2000)
        let storyboard = try XcodeStoryboard.of(
            """
            <scene sceneID="1"><objects><viewController id="a" sceneMemberID="viewController">
            <connections>\(segues)</connections></viewController></objects></scene>
            """, initial: "a")
        let start = processorTime()
        let imported = StoryboardImport(try XcodeProject([storyboard]))
        #expect(processorTime() - start < .seconds(2))
        let names = ["segue", "segue-2", "segue-3", "segue-2000"]
        #expect(names.allSatisfy { imported.json.contains("\"identifier\": \"\($0)\"") })
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
