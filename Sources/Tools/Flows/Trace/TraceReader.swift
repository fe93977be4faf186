import Foundation
import JSON
import NavigationRules
import WaypostCore
import Yams

/// Reads traces, which are recordings of real apps. A trace is a file with one JSON object on each
/// line. The first line describes the trace, and each later line is a step.
package struct TraceReader {
    private static let version = 1
    private static let headKeys = [
        "waypostTrace", "app", "uikit", "lifecycle", "username", "scenes", "callbacks",
        "flags",
    ]
    /// The steps that are allowed in flows (scripted tests) but not in traces, because nothing in a
    /// real app corresponds to them.
    private static let flowSteps: Set = ["revoke", "restart", "fork", "use", "expect"]

    private let file: String
    /// The names of the storyboard's scenes; nil if the storyboard is unknown.
    private let known: [String]?
    private var defects: [FileDefect] = []
    private var line = 1
    /// The scene names of the storyboard. The keys are the app's own names for its screens.
    private var scenes: [String: String] = [:]
    /// The names that were reported as no scenes, so that each is reported once.
    private var unknown: Set<String> = []

    private init(_ file: String, _ known: [String]?) {
        self.file = file
        self.known = known
    }

    /// Reads one trace from each file.
    /// - Parameter scenes: the names of the storyboard's scenes, to which the first lines may map
    ///   the names of the app; nil to allow all names.
    /// - Throws: `FlowDefects` with all mistakes in the files, each with its line.
    package static func read(
        _ files: [String], scenes: [String]? = nil
    ) throws(FlowDefects) -> [Trace] {
        var traces: [Trace] = []
        var defects: [FileDefect] = []
        for file in files {
            var reader = TraceReader(file, scenes)
            if let trace = reader.trace() { traces.append(trace) }
            defects += reader.defects
        }
        guard defects.isEmpty else { throw FlowDefects(defects: defects) }
        return traces
    }

    private var place: Place { Place(file: file, line: line, column: 1) }

    private mutating func note(_ reason: String) { defects.append(FileDefect(place, reason)) }

    // MARK: Lines

    private mutating func trace() -> Trace? {
        let bytes: Data
        do throws(FileFailure) {
            bytes = try InputFile.bytes(file)
        } catch {
            note("cannot be read: \(error.reason)")
            return nil
        }
        var objects: [(line: Int, object: JSONObject)] = []
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            line = index + 1
            guard !bytes.allSatisfy({ $0 == 32 || $0 == 13 || $0 == 9 }) else { continue }
            if let object = object(Array(bytes)) { objects.append((line, object)) }
        }
        line = objects.first?.line ?? 1
        guard let head = objects.first?.object else {
            if defects.isEmpty {
                note(#"is empty: the first line of a trace is `{"waypostTrace": 1, "app": "…"}`"#)
            }
            return nil
        }
        return trace(head, objects.dropFirst())
    }

    private mutating func object(_ bytes: [UInt8]) -> JSONObject? {
        do throws(JSONSyntaxError) {
            let value = try JSONValue(parsing: bytes, maximumDepth: 16)
            if case .object(let object) = value { return object }
            note("expected an object, found \(value.kind): each line of a trace is one JSON object")
        } catch {
            defects.append(
                FileDefect(
                    Place(file: file, line: line, column: error.place?.column ?? 1),
                    "\(error.reason): each line of a trace is one JSON object"))
        }
        return nil
    }

    private mutating func trace(
        _ head: JSONObject, _ lines: ArraySlice<(line: Int, object: JSONObject)>
    ) -> Trace? {
        guard let version = head["waypostTrace"] else {
            note(#"is not a trace: the first line begins with `{"waypostTrace": 1`"#)
            return nil
        }
        guard version.number == Self.version else {
            note(
                "the format has the version \(version.flowStyle), and this program reads version "
                    + "\(Self.version)")
            return nil
        }
        checkNames(in: head, among: Self.headKeys, "of the first line")
        let callbacks = recordedCallbacks(head["callbacks"])
        readScenes(head["scenes"])
        let start = place
        let name = text(head["app"], "app") ?? (file as NSString).lastPathComponent
        let username = text(head["username"], "username")
        let uikit = uikit(head["uikit"])
        let flags = flags(head["flags"])
        let lifecycle = lifecycle(head["lifecycle"])
        var steps: [Trace.Step] = []
        for (number, object) in lines {
            line = number
            steps.append(step(object, isFirst: steps.isEmpty))
        }
        if steps.isEmpty, defects.isEmpty {
            note("has no step: write a line for each step after the first line")
        }
        return Trace(
            name: name, uikit: uikit, lifecycle: lifecycle, username: username,
            flags: flags, callbacks: callbacks, steps: steps, place: start)
    }

    // MARK: The first line

    private mutating func uikit(_ value: JSONValue?) -> UIKitVersion? {
        guard let value else { return nil }
        if let version = value.number.flatMap({ UIKitVersion($0) }) { return version }
        let known = UIKitVersion.known
        note(
            "uikit: expected a version of iOS from \(known.lowerBound) to \(known.upperBound), "
                + "found \(value.flowStyle)")
        return nil
    }

    private mutating func lifecycle(_ value: JSONValue?) -> LifecycleOrder {
        guard let value else { return .native }
        if let order = value.text.flatMap(LifecycleOrder.init) { return order }
        note("lifecycle: expected native or forwarded, found \(value.flowStyle)")
        return .native
    }

    private mutating func flags(_ value: JSONValue?) -> [String: Bool] {
        guard let value else { return [:] }
        if let flags = value.flags { return flags }
        note(#"flags: expected flags such as {"subscribed": true}, found \#(value.flowStyle)"#)
        return [:]
    }

    private mutating func recordedCallbacks(_ value: JSONValue?) -> Set<String> {
        let known = LifecycleEvent.Kind.allCases.map(\.rawValue)
        guard let value else { return Set(LifecycleEvent.Kind.standard.map(\.rawValue)) }
        guard let names = value.texts else {
            note("callbacks: expected the names of callbacks, found \(value.flowStyle)")
            return []
        }
        for name in names { checkName(name, among: known, "callback") }
        return Set(names)
    }

    private mutating func readScenes(_ value: JSONValue?) {
        guard let value else { return }
        guard let members = value.object?.members, members.allSatisfy({ $0.value.text != nil })
        else {
            note(
                "scenes: expected the storyboard's scenes by the app's names, as in "
                    + #"`{"BooksController": "books"}`, found \#(value.flowStyle)"#)
            return
        }
        for member in members {
            guard let scene = member.value.text else { continue }
            scenes[member.name] = scene
            guard let known, !known.contains(scene) else { continue }
            note(
                "scenes: \(member.name) is mapped to \(scene), which is no scene of the storyboard"
                    + FlowReader.suggestion(for: scene, among: known))
        }
    }

    private mutating func text(_ value: JSONValue?, _ name: String) -> String? {
        guard let value, value != .null else { return nil }
        if let text = value.text { return text }
        note("\(name): expected a text, found \(value.flowStyle)")
        return nil
    }

    // MARK: Steps

    private mutating func step(_ object: JSONObject, isFirst: Bool) -> Trace.Step {
        checkNames(in: object, among: ["did", "callbacks"] + Trace.shownNames, "of a step")
        var action: Step.Action?
        var text: String?
        if let did = object["did"], did != .null { (action, text) = self.action(did) }
        let shown = object.members.compactMap { member in
            Trace.shownNames.contains(member.name) ? expectation(member) : nil
        }
        return Trace.Step(
            action: action, callbacks: callbacks(object["callbacks"]), shown: shown,
            text: text ?? (isFirst ? "(launch)" : "(not recorded)"), place: place)
    }

    /// Reads the member `did` of a step, which has the same form as a step of a flow (a scripted
    /// test).
    /// - Returns: the action, with the scene names of the storyboard, and its text for reports; nil
    ///   for both if the member is not a valid step.
    private mutating func action(_ did: JSONValue) -> (Step.Action?, String?) {
        if let name = did.text ?? did.object?.members.first?.name, Self.flowSteps.contains(name) {
            note("did: only flows can have the step \(name)")
            return (nil, nil)
        }
        var reader = FlowReader(file: file)
        let step = reader.step(from: Node(did))
        for defect in reader.defects { note("did: \(defect.reason)") }
        if let step, step.refused != nil || !step.expectations.isEmpty {
            note("did: only flows can have the keys expect and refused")
        }
        guard case .operation(let name, let body) = step?.action else {
            return (step?.action, step?.text)
        }
        return (.operation(name, mapped(body)), step?.text)
    }

    private mutating func callbacks(_ value: JSONValue?) -> [String] {
        guard let value else { return [] }
        guard let callbacks = value.texts else {
            note("callbacks: expected a list such as [\"viewDidLoad books\"], found \(value.kind)")
            return []
        }
        let known = LifecycleEvent.Kind.allCases.map(\.rawValue)
        return callbacks.map { callback in
            let parts = callback.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                note(
                    "callbacks: expected a callback and a scene, as in viewDidLoad books, "
                        + "found \(callback)")
                return callback
            }
            checkName(parts[0], among: known, "callback")
            return "\(parts[0]) \(scene(parts[1]))"
        }
    }

    private mutating func expectation(_ member: JSONObject.Member) -> Expectation? {
        let (name, value) = (member.name, member.value)
        let isRight: Bool
        let form: String
        switch name {
        case "stack":
            isRight = value.elements?.allSatisfy { $0.text != nil || $0.object != nil } == true
            form = #"a list such as [{"scene": "books", "title": "Jules Verne"}]"#
        case "rows":
            isRight = value == .null || value.texts != nil || value["count"]?.number != nil
            form = #"a list of titles, or {"count": 15}"#
        case "layers":
            let isList = value.elements?.allSatisfy { $0.text != nil || $0 == .null } == true
            isRight = value.number != nil || isList
            form = "a number, or a list of titles"
        case "tab", "segment":
            isRight = value == .null || value.number != nil || value.text != nil
            form = "a number or a title"
        default:
            isRight = value == .null || value.text != nil
            form = "a text or null"
        }
        guard isRight else {
            note("\(name): expected \(form), found \(value.flowStyle)")
            return nil
        }
        return Expectation(key: name, value: name == "stack" ? stack(value) : value, place: place)
    }

    /// Returns a recorded stack with the names of the app's screens replaced by the scene names of
    /// the storyboard.
    private mutating func stack(_ value: JSONValue) -> JSONValue {
        var elements: [JSONValue] = []
        for element in value.elements ?? [] {
            guard let object = element.object else {
                elements.append(element)
                continue
            }
            checkNames(
                in: object, among: ["scene", "title", "parameters"], "of a view controller")
            elements.append(.object(mapped(object)))
        }
        return .array(elements)
    }

    /// Returns the storyboard's name for a name of the app. Notes a name that is no scene.
    private mutating func scene(_ name: String) -> String {
        let scene = scenes[name] ?? name
        guard scenes[name] == nil, let known, !known.contains(name),
            unknown.insert(name).inserted
        else { return scene }
        let advice = didYouMean(name, among: known).map { ", \($0)" } ?? ""
        note(
            "the storyboard has no scene \(name): map it by `scenes` in the first line\(advice)")
        return scene
    }

    /// Returns a JSON object with the names of the app's screens replaced by the scene names of the
    /// storyboard, in its member `scene` and in the lists that it contains. Notes the names that are
    /// no scenes.
    private mutating func mapped(_ object: JSONObject) -> JSONObject {
        var members: [(String, JSONValue)] = []
        for member in object.members { members.append((member.name, mapped(member))) }
        return JSONObject(pairs: members)
    }

    private mutating func mapped(_ member: JSONObject.Member) -> JSONValue {
        switch (member.name, member.value) {
        case ("scene", .string(let name)): return .string(scene(name))
        // An operation in a batch.
        case (let name, .object(let body)) where Operation.type(named: name) != nil:
            return .object(mapped(body))
        case (_, .array(let elements)):
            var values: [JSONValue] = []
            for element in elements {
                values.append(element.object.map { .object(mapped($0)) } ?? element)
            }
            return .array(values)
        default: return member.value
        }
    }

    // MARK: Names

    private mutating func checkNames(
        in object: JSONObject, among known: [String], _ owner: String
    ) {
        for member in object.members where !known.contains(member.name) {
            checkName(member.name, among: known, "member \(owner)")
        }
    }

    private mutating func checkName(_ name: String, among known: [String], _ what: String) {
        guard !known.contains(name) else { return }
        note("\(name) is not a \(what)" + FlowReader.suggestion(for: name, among: known))
    }
}

extension Node {
    /// Creates a YAML node from a JSON value.
    init(_ value: JSONValue) {
        switch value {
        case .object(let object):
            self.init(object.members.map { (Node($0.name), Node($0.value)) })
        case .array(let elements): self.init(elements.map { Node($0) })
        case .string(let text): self.init(text, .implicit, .doubleQuoted)
        default: self.init(value.flowStyle, .implicit, .plain)
        }
    }
}
