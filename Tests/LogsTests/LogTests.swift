import Dispatch
import Foundation
import JSON
import Logging
import TestSupport
import Testing

@testable import WaypostCore

@Suite("The log", .timeLimit(.minutes(10)))
struct LogTests {
    /// Returns the lines that `body` logs.
    private func lines(
        _ format: LogFormat, level: Logger.Level = .info, _ body: (Log) -> Void
    ) -> [String] {
        let written = TestLog(format, level: level, now: { 1_700_000_000_123 })
        body(written.log)
        return written.lines()
    }

    private static var access: AccessEntry {
        var entry = AccessEntry(
            route: "/v1/sessions/{session}", method: "GET", status: 404,
            duration: .microseconds(1234), bytes: 567, requestID: "abc")
        entry.session = "3f1c0e9a"
        entry.problem = "session-not-found"
        entry.trace = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        return entry
    }

    @Test("A request is a line that people can read")
    func accessText() {
        #expect(
            lines(.text) { $0.append(Self.access) } == [
                """
                2023-11-14T22:13:20.123Z info GET /v1/sessions/{session} 404 1.234 ms 567 B id=abc \
                session=3f1c0e9a problem=session-not-found \
                trace=4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7
                """
            ])
    }

    @Test("A request is a line that programs can read")
    func accessJSON() {
        #expect(
            lines(.json) { $0.append(Self.access) } == [
                #"{"time":"2023-11-14T22:13:20.123Z","level":"info","logger":"waypost.access","#
                    + #""message":"request","http.route":"/v1/sessions/{session}","#
                    + #""http.request.method":"GET","http.response.status_code":404,"#
                    + #""duration_ms":1.234,"http.response.body.size":567,"request_id":"abc","#
                    + #""session":"3f1c0e9a","problem":"session-not-found","#
                    + #""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","#
                    + #""parent_id":"00f067aa0ba902b7"}"#
            ])
    }

    private struct Failure: Error, CustomStringConvertible {
        let description = "a=b"
    }

    @Test("A message has its metadata and error, and no text makes a line or a member of its own")
    func messages() {
        let log: (Log) -> Void = { log in
            var logger = log.logger("waypost.test")
            logger[metadataKey: "b"] = "2"
            logger.warning(
                "one\ntwo", error: Failure(),
                metadata: [
                    "a": "x\" y\u{1b}[31m", "c": .stringConvertible(UInt16(8080)), "d": "8080",
                ])
        }
        #expect(
            lines(.text, log) == [
                #"2023-11-14T22:13:20.123Z warning one\ntwo a="x\" y\u{1B}[31m" b=2 c=8080 d=8080 "#
                    + #"error="a=b""#
            ])
        #expect(
            lines(.json, log) == [
                #"{"time":"2023-11-14T22:13:20.123Z","level":"warning","logger":"waypost.test","#
                    + #""message":"one\ntwo","a":"x\" y\u001b[31m","b":"2","c":8080,"d":"8080","#
                    + #""error":"a=b"}"#
            ])
    }

    @Test(
        "A value that would be ambiguous is in quotation marks, with backslashes before its own",
        arguments: [
            ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("a=b", #""a=b""#),
            (#"a"b"#, #""a\"b""#), (#"a\"#, #""a\\""#), (#"a \"b"#, #""a \\\"b""#),
            ("a\nb", #""a\nb""#), (#"a\nb"#, #""a\\nb""#), ("a\u{7f}b", #""a\u{7F}b""#),
            ("a\u{9b}31m", #""a\u{009B}31m""#),
        ])
    func quotationMarks(_ value: String, _ expected: String) {
        let lines = lines(.text) { log in
            log.logger("waypost.test").warning("message", metadata: ["value": "\(value)"])
        }
        #expect(lines == ["2023-11-14T22:13:20.123Z warning message value=\(expected)"])
    }

    @Test("Messages and requests below the log's level are not logged")
    func level() {
        let lines = lines(.text, level: .error) { log in
            log.append(Self.access)
            log.logger("l").warning("w")
            log.logger("l").error("e")
        }
        #expect(lines == ["2023-11-14T22:13:20.123Z error e"])
    }

    @Test("Log lines are written completely and in order, also from many threads")
    func order() async throws {
        let written = TestLog()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    let logger = written.log.logger("\(task)")
                    for number in 0..<500 { logger.info("\(number)") }
                }
            }
        }
        let all = try written.entries()
        for task in 0..<8 {
            let own = all.filter { $0["logger"]?.text == "\(task)" }
            #expect(own.map { $0["message"]?.text } == (0..<500).map { "\($0)" })
        }
    }

    @Test("A writer that is stuck holds nobody up: what does not fit is counted, and said later")
    func stuck() {
        let output = TestLog.Output()
        let (isStuck, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = Log(
            .text, level: .info, capacity: 10, now: { 0 },
            write: { bytes in
                isStuck.signal()
                goOn.wait()
                output.write(bytes)
            })
        let logger = log.logger("l")
        logger.info("first")
        isStuck.wait()
        for number in 0..<30 { logger.info("\(number)") }
        #expect(log.dropped.value == 20)
        for _ in 0..<2 { goOn.signal() }
        log.close()
        #expect(output.lines.count == 12)
        #expect(output.lines[1].hasSuffix("warning log entries were dropped dropped=20"))
        #expect(output.lines.last?.hasSuffix("info 9") == true)
    }

    @Test("A reader that never comes back does not keep the service from ending")
    func end() {
        let never = DispatchSemaphore(value: 0)
        let log = Log(.text, level: .info, now: { 0 }, write: { _ in never.wait() })
        log.logger("l").info("first")
        log.close()
        never.signal()
    }
}
