import JSON
import TestSupport
import Testing
import WaypostCore

@testable import NavigationRules

/// An operation that only this test declares: all that the other modules do with an operation
/// works with its declaration alone.
private struct PushTwice: StackOperation {
    static let name = "push-twice"
    static let summary = "Pushes two new view controllers of a scene."
    static let refusals: [NavigationError.Code] = .newViewController + .growth

    var scene: Scene.Name = ""
    var note: String?
    var navigationController: NavigationController.ID?

    mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("scene", required: .sceneName, &scene, "The scene.")
        visitor.member("note", .text, &note, with: "navigationController", "A note.")
        visitNavigationController(&visitor)
    }

    func perform(on window: inout Window, in app: App) throws(NavigationError) {
        for _ in 0..<2 {
            try Push(scene: scene).on(navigationController).perform(on: &window, in: app)
        }
    }
}

@Suite("Declarations of operations") struct OperationDeclarationTests {
    private static func reader(_ text: String) throws -> BodyReader {
        guard case .object(let object) = try JSONValue(parsing: Array(text.utf8), maximumDepth: 9)
        else { return BodyReader(JSONObject()) }
        return BodyReader(object)
    }

    @Test("A declared operation is read, performed and written without further code")
    func madeUpOperation() throws {
        let text = #"{"scene":"B","note":"n","navigationController":"nc1"}"#
        var body = try Self.reader(text)
        let (operation, animated) = PushTwice.read(&body)
        try body.finish()
        #expect(animated == nil)
        let app = try TestApp.everything(login: false)
        var window = Window.launch(app).window
        let outcome = try window.perform(operation, animated: true, in: app)
        #expect(outcome.transition == .push && window.viewControllers.count == 3)
        var json = JSONWriter()
        operation.write(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"push-twice":\#(text)}"#)
    }

    @Test(
        "The defects of a body are found by the declaration",
        arguments: [
            ("{}", ["/scene"]),
            (#"{"scene":1,"navigationController":2}"#, ["/scene", "/navigationController"]),
            (#"{"scene":"B","note":"n"}"#, ["/note"]), (#"{"scene":"B","scenes":1}"#, ["/scenes"]),
        ])
    func defects(_ text: String, _ pointers: [String]) throws {
        var body = try Self.reader(text)
        _ = PushTwice.read(&body)
        #expect {
            try body.finish()
        } throws: { error in
            guard case .invalid(let defects) = error as? BodyError else { return false }
            return defects.map(\.pointer) == pointers
        }
    }

    @Test("The schema of an operation has its members in their order")
    func schema() {
        let members = PushTwice.memberDescriptions
        #expect(members.map(\.name) == ["scene", "note", "navigationController"])
        #expect(members.map(\.isRequired) == [true, false, false])
        #expect(members.map(\.companion) == [nil, "navigationController", nil])
    }

    @Test("Each operation has a name, a summary and distinct members of its own")
    func names() {
        let all = Operation.all + [Batch.self, Patch.self, LogIn.self, LogOut.self]
        #expect(Set(all.map { $0.name }).count == all.count)
        for type in all {
            let members = type.memberDescriptions.map(\.name)
            #expect(Set(members).count == members.count && !members.contains("animated"))
            #expect(type.exactlyOne.allSatisfy { members.contains($0) })
            #expect(type.summary.hasSuffix("."))
        }
    }
}
