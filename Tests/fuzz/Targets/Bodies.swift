import HTTPCore
import JSON
import NavigationRules
import TestSupport
import WaypostCore

@testable import WaypostAPI

func fuzzJSON(_ bytes: [UInt8]) {
    let value: JSONValue
    do {
        value = try JSONValue(parsing: bytes, maximumDepth: 32)
    } catch {
        precondition(!error.reason.isEmpty)
        if let place = error.place { precondition(place.line > 0 && place.column > 0) }
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
    for type in Operation.all {
        guard let (operation, animated) = try? request.read({ type.read(&$0) }) else { continue }
        // It is read again as it is written.
        var json = JSONWriter()
        json.object { json in
            operation.base.writeMembers(to: &json)
            if let animated { json.member("animated", animated) }
        }
        let again = Request(
            method: .post, target: target, headers: ["Content-Type": "application/json"],
            body: json.bytes)
        precondition((try? again.read { type.read(&$0) })?.operation == operation)
    }
    _ = try? request.read { Patch(ViewController.ID(number: 1), reading: &$0) }
    do throws(Problem) {
        let batch = try request.read { Batch.read(&$0) }.operation.base as? Batch
        precondition((batch?.operations.count ?? 0) <= bytes.count)
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
    for link in [Link.path(text), .url(text)] {
        guard let opened = try? Window.launch(fuzzApps[0], opening: link, username: "ada").window,
            let address = opened.link(in: fuzzApps[0])
        else { continue }
        var again = opened
        let outcome = try? again.perform(.open(.path(address)), animated: false, in: fuzzApps[0])
        precondition(outcome?.changed == false)
    }
    if let pattern = try? PathPattern(text) { precondition(pattern.description == text) }
    _ = try? TextTemplate(text)
    if let id = NavigationController.ID(text) {
        precondition(NavigationController.ID("\(id)") == id)
    }
    if let id = ViewController.ID(text) { precondition(ViewController.ID("\(id)") == id) }
}
