import Foundation
import JSON
import NavigationRules

extension Exploration {
    /// Returns flows, which are scripted tests of the app in YAML: one to each scene, tab, segue,
    /// selection of a row, link and dead end that the exploration reached, and one for each problem
    /// code with which an operation was refused.
    /// - Parameter storyboard: the path that each flow names as its `app`; nil to leave `app` out.
    /// - Returns: the file name and the YAML text of each flow. No two flows have the same file
    ///   name.
    package func flows(storyboard: String? = nil) -> [(file: String, text: String)] {
        var flows: [(String, String)] = []
        var taken: Set<String> = []
        var suffixes: [String: Int] = [:]
        func add(_ name: String, _ text: String) {
            var (file, suffix) = (name, suffixes[name, default: 1])
            while !taken.insert(file).inserted {
                suffix += 1
                file = "\(name)-\(suffix)"
            }
            suffixes[name] = suffix
            flows.append(("\(file).yaml", text))
        }
        func add(_ kind: String, _ name: String, _ path: [Action]) {
            guard let window = window(after: path) else { return }
            let text = self.text(
                "\(kind) \(name)", storyboard, path, [expectation(of: window)])
            add("\(kind)-\(name.asFileName)", text)
        }
        for (kind, firsts) in [("scene", firstOfScene), ("tab", firstOfTab)] {
            for (name, head) in firsts.sorted(by: { $0.key < $1.key }) {
                add(kind, name, path(to: head))
            }
        }
        for (kind, uses) in [
            ("segue", firstOfSegue), ("select", firstOfSelect), ("link", firstOfLink),
        ] {
            for (name, use) in uses.sorted(by: { $0.key < $1.key }) {
                add(kind, name, path(through: use))
            }
        }
        for (name, path) in deadEnds.sorted(by: { $0.key < $1.key }) { add("dead-end", name, path) }
        for (code, refusal) in refusedOperations.sorted(by: { $0.key < $1.key }) {
            let step = "\(refusal.step)\n    refused: \(code)"
            let text = self.text("refused with \(code)", storyboard, refusal.path, [step])
            add("refused-\(code)", text)
        }
        return flows
    }

    /// For each problem code, the first operation that was refused with this code: the actions
    /// before it, and the operation in YAML.
    private var refusedOperations: [String: (path: [Action], step: String)] {
        var found: [String: ([Action], String)] = [:]
        for refusal in refusals.values.sorted(by: { $0.use.source < $1.use.source }) {
            let code = refusal.error.code.rawValue
            guard found[code] == nil else { continue }
            let path = path(through: refusal.use)
            found[code] = (path.dropLast(), step(refusal.use.action))
        }
        // Also tries operations that no control of the screen offers, because the service can
        // refuse them with other codes.
        for (_, head) in firstOfScene.sorted(by: { $0.value < $1.value }) {
            let path = path(to: head)
            guard let window = window(after: path) else { continue }
            let rows = window.screen.rowCount
            let operations: [(NavigationRules.Operation, String)] = [
                (Operation(Back()), "\(Back.name):"),
                (Operation(SelectRow(rows)), "\(SelectRow.name): { row: \(rows) }"),
                (Operation(SwipeDown()), "\(SwipeDown.name):"),
                (Operation(TapTab(99)), "\(TapTab.name): 99"),
                (Operation(SelectSegment(99)), "\(SelectSegment.name): 99"),
            ]
            for (operation, step) in operations {
                do throws(NavigationError) {
                    _ = try window.performing(operation, animated: true, in: app)
                } catch {
                    let code = error.code.rawValue
                    if found[code] == nil { found[code] = (path, step) }
                }
            }
        }
        return found
    }

    private func text(
        _ name: String, _ storyboard: String?, _ path: [Action], _ last: [String]
    ) -> String {
        var lines = ["name: \(name.asPlainScalar)"]
        if let storyboard { lines.append("app: \(storyboard.asPlainScalar)") }
        var path = path
        if case .launch? = path.first { lines.append(step(path.removeFirst())) }
        var names = Usernames(isStrict: app.storyboard.isStrict)
        let steps = names.steps(path, self)
        if !names.accounts.isEmpty { lines.append("accounts: \(names.accounts)") }
        lines.append("steps:")
        lines += (steps + last).map { "  - \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the steps of a flow that perform these actions from the launch.
    func steps(_ path: [Action]) -> [String] {
        var names = Usernames(isStrict: app.storyboard.isStrict)
        return names.steps(path, self)
    }

    /// Returns the step of a flow that performs an action.
    func step(_ action: Action) -> String {
        switch action {
        case .tap(let tap), .refused(let tap?, _):
            "\(TapControl.name): { place: \(tap.place.rawValue), index: \(tap.index) } # \(tap.title.onOneLine)"
        case .segue(let identifier): "\(PerformSegue.name): \(identifier.asPlainScalar)"
        case .swipeDown, .refused(nil, _): "\(SwipeDown.name):"
        case .logIn: "\(LogIn.name): ada"
        case .signUp: "\(LogIn.signUpName): ada"
        case .logOut: "\(LogOut.name):"
        case .launch(let flags):
            "flags: { \(flags.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ")) }"
        case .open(let link): "\(Open.name): \(link.text.asPlainScalar)"
        }
    }

    /// Returns the last step of a flow. The step checks the titles on the stack and the scene on
    /// top.
    func expectation(of window: Window) -> String {
        let titles = window.viewControllers.map { viewController in
            viewController.effectiveTitle.map { JSONValue.string($0) } ?? .null
        }
        let scene = window.topViewController.scene.name
        return "expect:\n      stack: \(JSONValue.array(titles).flowStyle)\n"
            + "      viewControllers.\(titles.count - 1).scene: \(scene.asPlainScalar)"
    }
}

extension String {
    /// The text as a file name: each character except letters, digits, `.` and `_` becomes a
    /// hyphen. Hyphens and dots at the start and the end are removed. The name has at most 200
    /// bytes, because file systems take at most 255.
    fileprivate var asFileName: String {
        let name = map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" ? $0 : "-" }
        var file = String(name)
        while file.utf8.count > 200 { file.removeLast() }
        return file.trimmingCharacters(in: CharacterSet(charactersIn: "-."))
    }
}
