import JSON
import NavigationRules
import WaypostCore

// A trace often has no record of a user's swipe, or of an action of the app's code. The stack and
// the callbacks of the step then show which action it was.

extension TraceRun {
    struct InferredAction {
        let operation: Operation
        let text: String

        init(_ operation: some NavigationOperation, _ text: String = "") {
            self.operation = Operation(operation)
            self.text = self.operation.name + text
        }

        init(_ logIn: LogIn) {
            operation = Operation(logIn)
            text = "\(logIn.submission.rawValue): \(logIn.username)"
        }

        var action: Step.Action {
            if operation.base is LogOut { return .logOut }
            if let logIn = operation.base as? LogIn {
                let account = Step.AccountName(username: logIn.username)
                return logIn.submission == .signUp ? .signUp(account) : .logIn(account)
            }
            let body = JSONValue.written { $0.object { operation.base.writeMembers(to: &$0) } }
            return .operation(operation.name, body.object ?? JSONObject())
        }
    }

    /// The username of log-ins that were not recorded. It has an account.
    static let username = "somebody"

    /// Returns the action that best explains a step whose action was not recorded. The action must
    /// lead to the recorded stack. Among several such actions, the first one that also causes the
    /// recorded callbacks is chosen or, if none causes them, the first one.
    /// - Returns: the action; nil if the step changed nothing, or if no action leads to the
    ///   recorded stack.
    func inferredAction(of step: Trace.Step) -> InferredAction? {
        let window = driver.window
        let called = called(in: step)
        if called.isEmpty, step.isShown(by: window) { return nil }
        var best: InferredAction?
        for candidate in candidates(in: window, line: step.place.line) {
            guard
                let (after, outcome) = try? window.performing(
                    candidate.operation, animated: true, in: driver.app),
                outcome.changed, step.isShown(by: after)
            else { continue }
            if recorded(outcome.events) == called { return candidate }
            if best == nil { best = candidate }
        }
        return best
    }

    /// Returns the actions that are possible in a window. The taps and the swipes of a user come
    /// first. Then come the log-ins, log-outs, segues, pops and dismissals that the app's code can
    /// perform.
    /// - Parameter line: the line of the step, which makes the name of a new user unique.
    private func candidates(in window: Window, line: Int) -> [InferredAction] {
        var candidates = window.taps(in: driver.app).map { tap in
            InferredAction(TapControl(tap), ": \(tap.title)")
        }
        candidates.append(InferredAction(SwipeBack(completed: false), ": cancelled"))
        if window.layers.count > 1 { candidates.append(InferredAction(SwipeDown())) }
        if driver.app.storyboard.loginScene != nil {
            // A form of a strict app may submit only one of the two.
            candidates +=
                window.isLoggedIn
                ? [InferredAction(LogOut())]
                : [
                    InferredAction(LogIn(username: Self.username)),
                    InferredAction(LogIn(username: "\(Self.username)\(line)", isSignUp: true)),
                ]
        }
        for segue in window.topViewController.scene.segues where segue.action != .custom {
            candidates.append(
                InferredAction(PerformSegue(segue.identifier), ": \(segue.identifier)"))
        }
        for viewController in window.viewControllers.dropLast().reversed() {
            candidates.append(
                InferredAction(PopTo(viewController.id), ": \(viewController.scene.name)"))
        }
        if window.layers.count > 1 { candidates.append(InferredAction(Dismiss())) }
        return candidates
    }
}

extension Trace.Step {
    /// Returns whether a window has the stack that this step recorded; true if the step recorded no
    /// stack.
    fileprivate func isShown(by window: Window) -> Bool {
        guard let stack = shown.first(where: { $0.key == "stack" })?.value.elements else {
            return true
        }
        guard stack.count == window.viewControllers.count else { return false }
        return zip(stack, window.viewControllers).allSatisfy { entry, viewController in
            if let title = entry.text { return title == viewController.effectiveTitle }
            let scene = entry["scene"]?.text
            let title = entry["title"]
            let parameters = viewController.parameters
            let values = JSONObject(
                pairs: zip(parameters.names, parameters.values.map { .string($0) }))
            return scene.map { $0 == viewController.scene.name } ?? true
                && title.map { $0.text == viewController.effectiveTitle } ?? true
                && entry["parameters"].map { $0.equals(.object(values)) } ?? true
        }
    }
}
