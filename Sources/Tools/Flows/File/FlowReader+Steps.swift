import HTTPCore
import JSON
import NavigationRules
import WaypostAPI
import Yams

// A step names at most one action. The body of the action is written in full or in a short form.

extension FlowReader {
    private static let accountSteps = [LogIn.name, LogIn.signUpName, LogOut.name]
    /// The actions that take no value, by their names.
    private static let actionsWithoutValue: [String: Step.Action] = [
        LogOut.name: .logOut, "revoke": .revoke, "restart": .restart, "fork": .fork,
    ]
    /// The names of the actions that have no response. They are never refused, so a step with such
    /// an action must not have the key `refused`.
    private static let stepsWithoutResponse = ["revoke", "restart", "fork"]

    static let stepNames =
        Operation.all.map { $0.name } + [Batch.name] + accountSteps + [Patch.name]
        + stepsWithoutResponse + ["expect", "use"]

    /// The present names of operations that had other names before API 1.0.
    private static let renamed = [
        "select": SelectRow.name, "segue": PerformSegue.name,
        "selected-segment": SelectSegment.name, "selected-tab": SelectTab.name,
        "view-controllers": SetViewControllers.name,
        "root-view-controller": SetRootViewController.name,
    ]

    /// The keys that a step can have beside its action, except for `expect`, which can also be alone.
    private static let additions = ["refused", "animated"]

    /// Examples of the values that actions need, besides those of operations.
    private static let examples = [
        "expect": "{ title: Books }", "use": "log-in.yaml", LogIn.name: "ada",
        LogIn.signUpName: "ada",
    ]

    mutating func step(from node: Node) -> Step? {
        let place = place(of: node)
        guard case .mapping(let mapping) = node else {
            guard let name = string(node, "a step") else { return nil }
            if let example = Self.examples[name] {
                note(node, "\(name) needs a value, as in `\(name): \(example)`")
                return nil
            }
            let body = Node([(Node, Node)]())
            guard let action = action(name, at: node, body), check(action, nil, at: node)
            else { return nil }
            return Step(action: action, text: name, place: place)
        }
        let count = defects.count
        var actions: [(key: Node, body: Node)] = []
        for (key, value) in mapping {
            let name = key.text ?? ""
            if name == "expect" || Self.additions.contains(name) { continue }
            if Self.stepNames.contains(name) {
                actions.append((key, value))
            } else if let now = Self.renamed[name] {
                note(key, "\(name) is now \(now): write `\(now)`")
            } else {
                checkKey(key, among: Self.stepNames + Self.additions, "of a step")
            }
        }
        if actions.count > 1 {
            note(
                actions[1].key,
                "a step has one action: write \(actions[1].key.text ?? "it") as a step of its own")
        }
        let refused = mapping["refused"].flatMap { code(at: $0) }
        let expectations = mapping["expect"].map { self.expectations(in: $0) } ?? []
        if actions.isEmpty, defects.count == count, mapping["expect"] == nil {
            note(node, "has no action: name one of \(Self.stepNames.joined(separator: ", "))")
        }
        if let node = mapping["refused"], defects.count == count {
            checkCanBeRefused(actions.first?.key.text, at: node)
        }
        var action: Step.Action?
        if let (key, body) = actions.first, let name = key.text {
            action = self.action(name, at: key, body)
        }
        if let animated = mapping["animated"], defects.count == count {
            if case .operation(let name, let body) = action, name != Patch.name {
                if body["animated"] != nil {
                    note(animated, "the body of \(name) has `animated`, too: remove one of them")
                }
                action = .operation(name, body.setting("animated", to: animated.json))
            } else {
                note(
                    animated,
                    "\(actions.first?.key.text ?? "a step without an action") is never animated: "
                        + "remove `animated`")
            }
        }
        guard defects.count == count else { return nil }
        if let action, !check(action, refused, at: node) { return nil }
        let shown = mapping.filter { $0.key.text != "expect" || actions.isEmpty }
        let text = shown.map { key, value in
            let name = key.text ?? ""
            return value.isNull ? name : "\(name): \(value.line)"
        }.joined(separator: ", ")
        return Step(
            action: action, refused: refused, expectations: expectations, text: text, place: place)
    }

    /// Reports a defect at `node` if a step cannot be refused.
    /// - Parameter name: the name of the step's action; nil if the step has no action.
    private mutating func checkCanBeRefused(_ name: String?, at node: Node) {
        guard name.map(Self.stepsWithoutResponse.contains) ?? true else { return }
        note(node, "\(name ?? "a step without an action") is never refused: remove `refused`")
    }

    private mutating func code(at node: Node) -> String? {
        let codes = Problem.Kind.all.map(\.code)
        guard let code = string(node, "the code of a problem") else { return nil }
        guard codes.contains(code) else {
            let advice = didYouMean(code, among: codes) ?? "docs/problems.md lists them"
            note(node, "no problem has the code \(code); \(advice)")
            return nil
        }
        return code
    }

    // MARK: Actions

    private mutating func action(
        _ name: String, at key: Node, _ body: Node
    ) -> Step.Action? {
        switch name {
        case LogIn.name: return account(body).map { .logIn($0) }
        case LogIn.signUpName: return account(body).map { .signUp($0) }
        default: break
        }
        if let action = Self.actionsWithoutValue[name] {
            if body.isNull || body.mapping?.isEmpty == true { return action }
            note(body, "\(name) takes no value: write `\(name)`")
            return nil
        }
        if let type = Operation.type(named: name) {
            return self.body(of: type, body).map { .operation(name, $0) }
        }
        let now = Self.renamed[name].map { "\(name) is now \($0): write `\($0)`" }
        note(
            key,
            now ?? "no step is named \(name)" + Self.suggestion(for: name, among: Self.stepNames))
        return nil
    }

    private mutating func account(_ node: Node) -> Step.AccountName? {
        guard case .mapping(let mapping) = node else {
            return string(node, "a user name").map { Step.AccountName(username: $0) }
        }
        for (key, _) in mapping {
            checkKey(key, among: ["username", "password"], "of an account")
        }
        guard let username = mapping["username"].flatMap({ string($0, "a user name") })
        else {
            note(node, "missing: write the user name, as in `log-in: ada`")
            return nil
        }
        var account = Step.AccountName(username: username)
        if let password = mapping["password"].flatMap({ string($0, "a password") }) {
            account.password = password
        }
        return account
    }

    /// Returns the JSON body of an operation. A flow file writes the body in full as a mapping, or
    /// in a short form such as `push: books`. Reports a defect and returns nil if the node has
    /// neither form.
    private mutating func body(
        of type: any NavigationOperation.Type, _ node: Node
    ) -> JSONObject? {
        if type == Batch.self, case .mapping(let mapping) = node,
            let operations = mapping["operations"], case .sequence(let sequence) = operations
        {
            return batch(Array(sequence))
        }
        if case .object(let object) = node.json {
            // The members of the object stand for those of the member, unless it is there itself.
            guard case .members(let member) = type.shortForm, object[member]?.object == nil,
                !object.members.isEmpty
            else { return object }
            return [member: .object(object)]
        }
        if node.isNull { return JSONObject() }
        if case .sequence(let sequence) = node {
            guard case .list(let member) = type.shortForm else {
                note(node, "\(type.name) takes no list")
                return nil
            }
            if type == Batch.self { return batch(Array(sequence)) }
            return [member: .array(sequence.map(Self.target))]
        }
        guard let text = node.text else { return nil }
        switch type.shortForm {
        case .text(let member, let reference):
            let name = text.hasPrefix("@") ? reference ?? member : member
            return [name: .string(text)]
        case .title(_, let member):
            if member == "index", case .integer(let index) = node.json {
                return [member: .integer(index)]
            }
            return ["title": .string(text)]
        case .word(let word, let member, let value):
            if text == word { return [member: .boolean(value)] }
            note(
                node,
                "\(type.name) takes only the word \(word): write `\(type.name)` or "
                    + "`\(type.name): \(word)`")
            return nil
        case .none, .list, .members:
            note(node, "\(type.name) takes no text: write \(Self.form(of: type))")
            return nil
        }
    }

    /// Returns how a step with an operation that takes no text is written.
    private static func form(of type: any NavigationOperation.Type) -> String {
        let isWhole = (try? OperationCoder.decode(type.name, JSONObject())) != nil
        return switch type.shortForm {
        case .list where type == Batch.self: "a list, as in `batch: [pop]`"
        case .list: "a list, as in `\(type.name): [books]`"
        case .members: "a mapping, as in `\(type.name): { subscribed: true }`"
        default: isWhole ? "`\(type.name)`, or its body as a mapping" : "its body as a mapping"
        }
    }

    private static func target(_ node: Node) -> JSONValue {
        guard let text = node.text else { return node.json }
        let member = text.hasPrefix("@") ? "viewController" : "scene"
        return [member: .string(text)]
    }

    private mutating func batch(_ nodes: [Node]) -> JSONObject? {
        var operations: [JSONValue] = []
        for node in nodes {
            guard let step = step(from: node) else { return nil }
            guard case .operation(let name, let body) = step.action, step.expectations.isEmpty,
                step.refused == nil
            else {
                note(node, "a batch has only operations")
                return nil
            }
            operations.append([name: .object(body)])
        }
        return ["operations": .array(operations)]
    }

    /// Checks the body of an action with the rules of the service, without a session. Reports a
    /// defect at `node` if the body is not valid, unless the flow expects exactly this refusal.
    /// - Parameter refused: the problem code with which the flow expects the action to be refused;
    ///   nil if the flow expects the action to succeed.
    /// - Returns: false if a defect was reported, otherwise true.
    private mutating func check(
        _ action: Step.Action, _ refused: String?, at node: Node
    ) -> Bool {
        do throws(Problem) {
            if case .operation(let name, let body) = action {
                _ = try OperationCoder.decode(
                    name, (try? body.replacing(in: name, with: .placeholders)) ?? body)
            }
            return true
        } catch {
            if error.code == refused { return true }
            note(node, "\(error.detail); to expect this, add `refused: \(error.code)`")
            return false
        }
    }

    // MARK: Expectations

    private mutating func expectations(in node: Node) -> [Expectation] {
        guard case .mapping(let mapping) = node else {
            note(node, "expected the values to find, as in `{ title: Books }`, found \(node.kind)")
            return []
        }
        return mapping.compactMap { key, value in
            let name = key.text ?? ""
            let names = Expectation.names + Expectation.sessionMembers
            let first = name.prefix { $0 != "." }
            guard names.contains(name) || name.contains(".") && names.contains(String(first))
            else {
                checkKey(key, among: names, "to expect")
                return nil
            }
            return expectation(name, value)
        }
    }

    private mutating func expectation(
        _ name: String, _ node: Node
    ) -> Expectation? {
        var value = node.json
        var expected: String?
        switch name {
        case "title", "back", "bottomBar", "pendingLink", "link", "auth", "root", "transition":
            value = node.texts
            if value != .null, value.text == nil { expected = "a text or null" }
        case "pending":
            if value != .null, value.object?.members.count != 1 {
                expected = "null, or an operation such as { tap-tab: { index: 2 } }"
            }
        case "rows":
            value = node.texts
            if let rows = value.elements {
                if rows.contains(where: { $0.text == nil }) { expected = "titles" }
            } else if case .integer? = node.json["count"] {
                value = node.json
            } else if value != .null {
                expected = "a list of titles, or { count: 15 }"
            }
        case "events":
            value = node.texts
            if value.texts == nil { expected = "a list such as [viewDidLoad cover]" }
        case "stack", "popped":
            value = node.texts
            if value.elements == nil { expected = "a list of titles" }
        case "flags":
            if value.flags?.isEmpty ?? true { expected = "flags, as in { subscribed: true }" }
        case "changed":
            if value.flag == nil { expected = "true or false" }
        case "tab", "segment":
            if value.number == nil { value = node.texts }
        case "layers":
            if value.number == nil { value = node.texts }
            if value.number == nil, value.elements == nil {
                expected = "a number, or a list of titles"
            }
        default: break
        }
        if let expected { note(node, "\(name): expected \(expected), found \(node.line)") }
        return Expectation(key: name, value: value, place: place(of: node))
    }
}

extension JSONValue {
    /// The values of flags, by name; nil if the value is not an object with booleans.
    var flags: [String: Bool]? {
        guard let members = object?.members, members.allSatisfy({ $0.value.flag != nil }) else {
            return nil
        }
        return Dictionary(
            members.map { ($0.name, $0.value.flag == true) }, uniquingKeysWith: { $1 })
    }
}
