import Foundation
import JSON
import Testing
import WaypostCore

/// One case of the navigation rules: a storyboard, and steps with what is to come of them.
///
/// A line of a file in `Cases/`:
///
///     {"id": "…", "storyboard": "lab", "lifecycle": "native", "steps": [[OP, BODY, EXPECT], …]}
///
/// `"strict": true` opens a strict session; without `strict`, the storyboard decides. `flags` gives the
/// session flags. A case without `lifecycle` asks for `forwarded`.
///
/// `OP` is one of
///
/// - the last component of the operation's path,
/// - `start`: nothing is sent; how a new session looks,
/// - `patch @X`,
/// - `get NAME`: a GET of the session's `layers`, `screen` or `view-controllers`,
/// - `restart`: the session is read from its store again, with the `storyboard` of `BODY` if there
///   is one.
///
/// In `BODY`, `"@X"` stands for the id of the view controller labelled X: its scene's name, `X#2`
/// for the second instance, counted layer by layer, tab by tab and from the root to the top. As
/// `navigationController`, it stands for the id of the one that X is on, or was on last.
///
/// `EXPECT` may hold:
///
/// - `status` (200 when absent), `code`, `changed`, `transition`, `animated`,
/// - `stack`, `popped`, `events`: labels in one string; an event as `wA:X`,
/// - `layers`: all layers, as `*[A B] (M) / pageSheet! by B [C]`. `[ ]` is a navigation controller,
///   `( )` a bare view controller, `*` marks the selected tab. A presented layer begins with its
///   style, `!` if it is modal in presentation, and its presenter or `nobody`,
/// - `visible`: the label of the visible view controller; `tab`: the selected tab of the active
///   layer; `presentation`: the style of the last layer,
/// - `taps`: what can be tapped, as `backButton 0 A, row 1 Two > next`, the segue last,
/// - `session` and `answer` (of a `get`): a dotted path: the value there,
/// - `kinds`: the kinds of events that `events` has, such as `wA dA`; all when absent,
/// - `layout`: all layers without their presenters, as `*[A B] (M) / pageSheet [C]`,
/// - `titles`: those of the active stack; `unchanged`: true, the session is as before but for its
///   revision.
///
/// A fact about UIKit is a case in `Facts/`. Its `source` is a public page or test, and its `origin`
/// says how the source knows. `uikit` is a version of iOS for which the fact holds, if it does not
/// hold for all.
///
/// A case with another member than these, here or in `EXPECT`, fails: a misspelled one would expect
/// nothing.
struct Case: Sendable, CustomTestStringConvertible {
    struct Step: Sendable {
        let operation: String
        let body: JSONValue
        let expected: JSONObject
    }

    let id: String
    let source: String?
    let storyboard: String
    /// The order of the lifecycle callbacks that the session asks for.
    let lifecycle: String
    let isStrict: Bool?
    let flags: [String: Bool]
    /// The version of iOS that replaces the one of the storyboard; nil to replace none.
    let uikit: Int?
    let steps: [Step]
    /// The members of the case and of each `EXPECT` that nothing reads.
    let unknownMembers: [String]

    private static let members: Set = [
        "id", "source", "origin", "storyboard", "uikit", "lifecycle", "strict", "flags", "steps",
    ]
    private static let expectations: Set = [
        "status", "code", "changed", "transition", "animated", "stack", "popped", "events",
        "session", "layers", "visible", "tab", "presentation", "taps", "answer", "kinds",
        "layout", "titles", "unchanged",
    ]

    var testDescription: String { id }

    static let all = read(from: "Cases")
    /// The cases but for those whose requests another case has, with events in the other order.
    static let withoutTwins = all.filter { each in
        each.lifecycle != "native" || !all.contains { $0.isTwin(of: each) }
    }
    /// Facts about UIKit, each with its public source.
    static let facts = read(from: "Facts")

    private static func read(from folder: String) -> [Case] {
        let files = Bundle.module.urls(forResourcesWithExtension: "jsonl", subdirectory: folder)
        return (files ?? []).flatMap { file -> [Case] in
            let lines = (try? String(contentsOf: file as URL, encoding: .utf8)) ?? ""
            return lines.split(separator: "\n").map { line in
                guard let made = Case(String(line)) else {
                    preconditionFailure("not a case: \(line)")
                }
                return made
            }
        }.sorted { $0.id < $1.id }
    }

    /// - Parameter line: of a file of cases.
    /// - Returns: nil if it is not a case.
    init?(_ line: String) {
        guard let value = try? JSONValue(parsing: Array(line.utf8), maximumDepth: 32),
            case .object(let object) = value, let id = value["id"]?.text,
            let storyboard = value["storyboard"]?.text,
            let steps = value["steps"]?.elements
        else { return nil }
        self.id = id
        source = value["source"]?.text
        self.storyboard = storyboard
        lifecycle = value["lifecycle"]?.text ?? "forwarded"
        isStrict = value["strict"]?.flag
        if case .object(let object)? = value["flags"] {
            flags = Dictionary(
                uniqueKeysWithValues: object.members.map { ($0.name, $0.value.flag ?? false) })
        } else {
            flags = [:]
        }
        uikit = value["uikit"]?.number
        self.steps = steps.compactMap { step in
            guard let parts = step.elements, parts.count == 3, let operation = parts[0].text,
                case .object(let expected) = parts[2]
            else { return nil }
            return Step(operation: operation, body: parts[1], expected: expected)
        }
        unknownMembers =
            object.names.filter { !Self.members.contains($0) }
            + self.steps.enumerated().flatMap { index, step in
                step.expected.names.filter { !Self.expectations.contains($0) }
                    .map { "\($0) of step \(index + 1)" }
            }
        guard self.steps.count == steps.count, !steps.isEmpty else { return nil }
    }

    private func isTwin(of other: Case) -> Bool {
        other.id == "\(id)-native" && storyboard == other.storyboard
            && isStrict == other.isStrict && flags == other.flags
            && steps.map(\.operation) == other.steps.map(\.operation)
            && steps.map(\.body) == other.steps.map(\.body)
    }

    static func storyboardPath(_ name: String) -> String {
        ["Storyboards", "Facts"].lazy.compactMap {
            Bundle.module.path(forResource: name, ofType: "json", inDirectory: $0)
        }.first ?? name
    }
}

extension JSONObject {
    fileprivate var names: [String] { members.map(\.name) }
}
