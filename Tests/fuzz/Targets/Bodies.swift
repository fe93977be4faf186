import HTTPCore
import JSON
import Navigation
import TestSupport

@testable import WaypostAPI

func fuzzJSON(_ bytes: [UInt8]) {
    let value: JSONValue
    do {
        value = try JSONValue(parsing: bytes, maximumDepth: 32)
    } catch {
        precondition(error.line > 0 && error.column > 0 && !error.reason.isEmpty)
        return
    }
    var writer = JSONWriter()
    writer.write(value)
    guard let again = try? JSONValue(parsing: writer.bytes, maximumDepth: 32) else {
        fatalError("refused when it is written again")
    }
    var second = JSONWriter()
    second.write(again)
    // To the byte, as Swift takes `é` for the same in all its forms.
    precondition(again == value && second.bytes == writer.bytes)
}

/// The body of each request of the routes that change the screen.
func fuzzBody(_ bytes: [UInt8]) {
    guard let target = try? RequestTarget("/") else { fatalError("/ is a target") }
    let request = Request(
        method: .post, target: target, headers: ["Content-Type": "application/json"], body: bytes)
    // Else all of them refuse it.
    guard (try? request.jsonObject()) != nil else { return }
    for operation in NavigationOperation.allCases {
        _ = try? request.read { (operation.decode(&$0), $0.optionalBoolean("animated")) }
    }
    _ = try? request.read { $0.update(of: ViewController.ID(number: 1)) }
    do throws(Problem) {
        let batch = try request.read { Batch(&$0) }
        precondition(batch.operations.count <= bytes.count)
    } catch {
        // It is sent.
        guard case .bytes(let answer) = Response(error).body else {
            fatalError("a problem is text")
        }
        precondition((try? JSONValue(parsing: answer, maximumDepth: 32)) != nil)
    }
}

func fuzzLink(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    var reader = BodyReader(JSONObject(members: [.init(name: "path", value: .string(text))]))
    let link = reader.link("path")
    do throws(Problem) {
        try reader.finish()
        let path = link.segments.map { "/" + percentEncoded(segment: $0) }.joined()
        precondition(same((try? RequestTarget(path))?.segments ?? [], link.segments))
    } catch {
        precondition(error.kind == .malformedLink)
    }
    if let pattern = try? PathPattern(text) { precondition(pattern.description == text) }
    _ = try? TextTemplate(text)
    if let id = NavigationController.ID(text) {
        precondition(NavigationController.ID("\(id)") == id)
    }
    if let id = ViewController.ID(text) { precondition(ViewController.ID("\(id)") == id) }
}
