import HTTPCore
import JSON
import NavigationRules
import Sessions
import Testing
import WaypostCore

@testable import WaypostAPI

@Suite("Recorded operations")
struct RecordedOperationTests {
    private static let bodies: [(name: String, body: String)] = [
        ("push", #"{"scene": "a"}"#), ("push", #"{"scene": "a", "parameters": {"b": "c"}}"#),
        ("push", #"{"viewController": "vc7", "navigationController": "nc2"}"#), ("pop", "{}"),
        ("pop", #"{"animated": false}"#), ("pop-to", #"{"viewController": "vc7"}"#),
        ("pop-to", #"{"scene": "a"}"#), ("pop-to-root", "{}"),
        (
            "set-view-controllers",
            #"{"viewControllers": [{"scene": "a"}, {"viewController": "vc1"}]}"#
        ),
        ("set-view-controllers", #"{"viewControllers": [], "animated": true}"#),
        ("set-root-view-controller", #"{"scene": "a", "parameters": {"b": ""}}"#),
        ("select-row", #"{"row": 3}"#), ("select-segment", #"{"index": 1}"#), ("back", "{}"),
        ("open", #"{"path": "/a%2Fb/c"}"#), ("present", #"{"scene": "a"}"#),
        (
            "present",
            #"{"scene": "a", "parameters": {"b": "c"}, "presentationStyle": "popover", "#
                + #""isModalInPresentation": true, "from": "vc1"}"#
        ),
        ("dismiss", "{}"), ("dismiss", #"{"viewController": "vc1"}"#), ("swipe-down", "{}"),
        ("swipe-back", "{}"), ("swipe-back", #"{"completed": false}"#),
        ("select-tab", #"{"index": 1}"#), ("tap-tab", #"{"index": 1, "animated": false}"#),
        ("perform-segue", #"{"identifier": "a"}"#),
        ("perform-segue", #"{"identifier": "a", "parameters": {"b": "c"}, "from": "vc1"}"#),
        ("tap", #"{"title": "a"}"#), ("tap", #"{"title": "a", "place": "button"}"#),
        ("tap", #"{"place": "row", "index": 3}"#), ("show", #"{"scene": "a"}"#),
        ("set-flags", #"{"flags": {}}"#), ("set-flags", #"{"flags": {"a": true, "b": false}}"#),
        ("unwind", #"{"action": "a"}"#), ("unwind", #"{"viewController": "vc1"}"#),
        (
            "batch",
            #"{"operations": [{"push": {"scene": "a", "navigationController": "nc1"}}, "#
                + #"{"select-row": {"row": 1, "animated": false}}], "animated": true}"#
        ),
        ("batch", #"{"operations": []}"#),
    ]

    @Test("An operation is recorded with the body that leads to it", arguments: bodies.indices)
    func operation(_ index: Int) throws {
        let (name, text) = Self.bodies[index]
        guard case .object(let object) = try JSONValue(parsing: Array(text.utf8), maximumDepth: 9)
        else { throw Problem(.malformedJSON, text) }
        let (operation, animated) = try OperationCoder.decode(name, object)
        let recorded = try Self.recorded(operation, animated: animated)
        #expect(recorded == JSONObject(members: [.init(name: name, value: .object(object))]))
        let again = try OperationCoder.decode(name, object)
        #expect(again.operation == operation && again.animated == animated)
    }

    private static func recorded(_ operation: Operation, animated: Bool?) throws -> JSONObject {
        var json = JSONWriter()
        json.operation(of: .perform(operation, animated: animated))
        guard case .object(let object) = try JSONValue(parsing: json.bytes, maximumDepth: 9) else {
            throw Problem(.malformedJSON, "not an object")
        }
        return object
    }

    @Test("The cases name every operation")
    func coverage() {
        let names = Set(Self.bodies.map(\.name))
        #expect(names == Set(Operation.all.map { $0.name } + ["batch"]))
    }

    @Test("Each refusal of the navigation rules has a problem of the same code")
    func refusals() {
        let codes = Problem.Kind.all.map(\.code)
        for code in NavigationError.Code.allCases {
            #expect(codes.count { $0 == code.rawValue } == 1, "\(code)")
        }
        #expect(Set(codes).count == codes.count)
    }

    @Test(
        "A patch is recorded with the body that leads to it",
        arguments: [
            "{}", #"{"title": null, "parameters": {}}"#,
            #"{"title": "a", "navigationItem": {"title": null, "backButtonTitle": "b", "#
                + #""hidesBackButton": true, "leftItems": ["c"], "#
                + #""leftItemsSupplementBackButton": false, "rightItems": []}, "#
                + #""hidesBottomBarWhenPushed": true, "bottomBarText": null, "#
                + #""toolbarItems": ["d"], "isModalInPresentation": false, "#
                + #""tabBarItem": {"title": "e", "badge": null}, "parameters": {"f": "g"}}"#,
        ])
    func patch(_ text: String) throws {
        guard case .object(let object) = try JSONValue(parsing: Array(text.utf8), maximumDepth: 9)
        else { throw Problem(.malformedJSON, text) }
        let id = JSONObject.Member(name: "viewController", value: .string("vc3"))
        let body = JSONObject(members: [id] + object.members)
        let (operation, animated) = try OperationCoder.decode("patch", body)
        let recorded = try Self.recorded(operation, animated: animated)
        #expect(recorded == JSONObject(members: [.init(name: "patch", value: .object(body))]))
    }
}
