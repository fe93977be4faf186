import JSON
import NavigationRules

/// Compares a trace, which is the recording of a real app, with the app's storyboard and with
/// UIKit's rules. The comparison ends at the first step that differs.
package struct TraceRun {
    let trace: Trace
    let driver: LocalDriver
    /// Performs the actions of the trace in the session of `driver`.
    private let flow: FlowRun
    /// The lifecycle callbacks that the latest step must cause according to UIKit's rules, each
    /// with its scene, as in `viewDidLoad books`.
    private var callbacks: [String] = []

    /// Compares a trace with the app's storyboard and with UIKit's rules.
    /// - Returns: the result. In each mismatch of a failure, the expected value follows from the
    ///   storyboard and the rules, and `found` is the value that the app recorded.
    /// - Throws: `FileDefect` if the app cannot start as the first line says.
    package static func run(
        _ trace: Trace, of app: LocalApp, coverage: Coverage
    ) async throws -> FlowResult {
        let app = app.loggingAllCallbacks(in: trace.uikit)
        let result = try await run(trace, trace.lifecycle, app, coverage)
        guard let failure = result.failure else { return result }
        let shortest = { try await naming(shortestFailureOf: result, trace, app) }
        guard !failure.mismatches.isEmpty,
            failure.mismatches.allSatisfy({ $0.expectation.key == "callbacks" })
        else { return try await shortest() }
        // Only callbacks differ: the first line of the trace may name the wrong lifecycle order.
        let other: LifecycleOrder = trace.lifecycle == .native ? .forwarded : .native
        let second = try await run(trace, other, app, nil)
        guard second.failure.map({ $0.step > failure.step }) ?? true else {
            return try await shortest()
        }
        let hint = #"; in this order, the first line needs `"lifecycle": "\#(other.rawValue)"`"#
        var withHint = result
        withHint.failure?.reason += hint
        return withHint
    }

    static func run(
        _ trace: Trace, _ lifecycle: LifecycleOrder, _ app: LocalApp, _ coverage: Coverage?
    ) async throws -> FlowResult {
        let clock = ContinuousClock()
        let start = clock.now
        let hasLogIn = app.app.storyboard.loginScene != nil
        let driver: LocalDriver
        do {
            driver = try await LocalDriver(
                app, lifecycle: lifecycle, isStrict: nil, flags: trace.flags,
                account: hasLogIn ? trace.user : nil, coverage: coverage)
        } catch {
            // The first line names a flag or a user that the app cannot have.
            throw FileDefect(trace.place, "\(error)")
        }
        if hasLogIn { await makeAccounts(of: trace, driver) }
        var run = TraceRun(trace, driver, lifecycle)
        var steps: [FlowResult.StepResult] = []
        var failure: Failure?
        for (index, step) in trace.steps.enumerated() {
            var text = step.text
            if failure == nil {
                (text, failure) = await run.take(step, index)
            }
            let status: FlowResult.Status =
                failure.map { $0.step == index ? .failed : .skipped } ?? .passed
            steps.append(
                FlowResult.StepResult(
                    step: Step(action: step.action, text: text, place: step.place),
                    status: status))
        }
        return FlowResult(
            flow: Flow(
                name: trace.name, lifecycle: lifecycle, steps: steps.map(\.step),
                place: trace.place),
            steps: steps, failure: failure, seconds: (clock.now - start) / .seconds(1))
    }

    /// Makes an account for each user who logs in after the start, and one for log-ins that were
    /// not recorded.
    private static func makeAccounts(of trace: Trace, _ driver: LocalDriver) async {
        var usernames = Set([trace.username].compactMap { $0?.lowercased() })
        for step in trace.steps {
            switch step.action {
            case .signUp(let account): usernames.insert(account.username.lowercased())
            case .logIn(let account) where usernames.insert(account.username.lowercased()).inserted:
                // An invalid name is no failure yet: the step itself fails with the reason.
                try? await driver.makeAccount(account.username, account.password)
            default: break
            }
        }
        if usernames.insert(username).inserted {
            try? await driver.makeAccount(username, FlowRun.password)
        }
    }

    private init(_ trace: Trace, _ driver: LocalDriver, _ lifecycle: LifecycleOrder) {
        self.trace = trace
        self.driver = driver
        flow = FlowRun(
            flow: Flow(name: trace.name, lifecycle: lifecycle, steps: [], place: trace.place),
            driver: driver, goesOn: false)
    }

    // MARK: A step

    /// Performs a step of the trace in the driver's session, and compares the screen and the
    /// callbacks of the session with the recorded ones.
    /// - Returns: the text of the step for the report; and the failure, or nil if there is no
    ///   difference. If no action was recorded, the text names the inferred action.
    private mutating func take(
        _ step: Trace.Step, _ index: Int
    ) async -> (text: String, failure: Failure?) {
        var text = step.text
        var different: [Mismatch] = []
        var reason: String?
        do {
            if let action = step.action {
                reason = try await perform(action, of: step)
            } else if index == 0 {
                let launch = Window.launch(
                    driver.app, lifecycle: driver.window.lifecycle, username: trace.username)
                callbacks = recorded(launch.events)
            } else if let found = inferredAction(of: step) {
                text = "\(step.text.dropLast()): \(found.text))"
                reason = try await perform(found.action, of: step)
            } else {
                callbacks = []
                let stays = try await differences(from: step).isEmpty
                if !stays {
                    reason =
                        "no tap, segue, pop or log-in of the storyboard leads from this "
                        + "screen to the app's stack; record what was done as `did`"
                }
            }
            different = try await differences(from: step)
        } catch {
            reason = "\(error)"
        }
        guard reason != nil || !different.isEmpty else { return (text, nil) }
        let failure = Failure(
            step: index, reason: reason ?? Self.reason(different),
            mismatches: different,
            screen: await screens(step))
        return (text, failure)
    }

    /// Performs an action in the session, and stores the resulting callbacks in `callbacks`.
    /// - Returns: nil if the session performs the action, or refuses an action that changed nothing
    ///   in the app either. Otherwise the reason why the step fails.
    private mutating func perform(
        _ action: Step.Action, of step: Trace.Step
    ) async throws -> String? {
        callbacks = []
        let answer: Answer?
        do {
            answer = try await flow.perform(action, refused: nil)
        } catch {
            return "\(error)"
        }
        guard let refusal = answer?.refusal else {
            callbacks = recorded(
                (try answer?.change()["events"]?.elements ?? []).map {
                    ($0["event"]?.text ?? "", $0["scene"]?.text ?? "")
                })
            return nil
        }
        // UIKit has asked the app whether the user may select the tab. An app that records this
        // callback is right, and so is one that does not.
        if refusal.code == "selection-refused" {
            callbacks = called(in: step).filter { $0.hasPrefix("shouldSelect ") }
        }
        // The app ignores an action that the rules refuse: the step passes if nothing has changed.
        if try await differences(from: step).isEmpty { return nil }
        return "the rules refuse this with \(refusal.code): \(refusal.detail)"
    }

    func recorded(_ events: [LifecycleEvent]) -> [String] {
        recorded(events.map { ($0.kind.rawValue, $0.scene) })
    }

    /// Returns the lifecycle events as texts such as `viewDidLoad books`. Leaves out the kinds of
    /// events that the app does not record.
    private func recorded(_ events: [(kind: String, scene: String)]) -> [String] {
        events.filter { trace.callbacks.contains($0.kind) }.map { "\($0.kind) \($0.scene)" }
    }

    // MARK: The comparison

    /// Returns the recorded callbacks of a step, without those that the trace does not compare.
    func called(in step: Trace.Step) -> [String] {
        step.callbacks.filter { callback in
            trace.callbacks.contains(String(callback.prefix { $0 != " " }))
        }
    }

    /// Returns each difference between the screen and the callbacks of a recorded step and those of
    /// the session.
    private func differences(from step: Trace.Step) async throws -> [Mismatch] {
        let findings = Findings(driver, nil)
        var different: [Mismatch] = []
        for shown in step.shown {
            let right =
                shown.key == "stack"
                ? Self.stack(try await findings.session()["viewControllers"], like: shown.value)
                : try await findings.value(for: shown)
            guard !right.equals(shown.value) else { continue }
            different.append(
                Mismatch(
                    expectation: Expectation(key: shown.key, value: right, place: shown.place),
                    found: shown.value))
        }
        let called = called(in: step)
        if called != callbacks {
            different.append(
                Mismatch(
                    expectation: Expectation(
                        key: "callbacks", value: JSONValue(callbacks), place: step.place),
                    found: JSONValue(called)))
        }
        return different
    }

    /// Returns the session's stack in the same form as the recorded stack `shown`, so that both can
    /// be compared. Each entry has the same members as the recorded entry at its index. The value
    /// of `title` is the title in the navigation bar.
    private static func stack(_ stack: JSONValue?, like shown: JSONValue) -> JSONValue {
        let shown = shown.elements ?? []
        return .array(
            (stack?.elements ?? []).enumerated().map { index, viewController in
                let entry = index < shown.count ? shown[index] : nil
                let title = Findings.title(viewController)
                guard entry?.text == nil else { return title }
                let names = entry?.object?.members.map(\.name) ?? ["scene", "title"]
                return .object(
                    JSONObject(
                        pairs: names.map {
                            ($0, $0 == "title" ? title : viewController[$0] ?? .null)
                        }))
            })
    }

    /// Describes the differences in one line of text.
    private static func reason(_ different: [Mismatch]) -> String {
        let keys = different.map(\.expectation.key)
        guard keys == ["callbacks"], let difference = different.first else {
            return "the app departs from the storyboard: \(keys.joined(separator: ", "))"
        }
        return callbackReason(
            expected: difference.expectation.value.texts ?? [], found: difference.found.texts ?? [])
    }

    private static func callbackReason(expected: [String], found: [String]) -> String {
        var missing = expected
        var extra: [String] = []
        for callback in found {
            if let index = missing.firstIndex(of: callback) {
                missing.remove(at: index)
            } else {
                extra.append(callback)
            }
        }
        func named(_ callbacks: [String], _ one: String, _ many: String) -> String? {
            guard !callbacks.isEmpty else { return nil }
            return callbacks.count == 1
                ? "the callback \(callbacks[0]) \(one)"
                : "the callbacks \(callbacks.joined(separator: ", ")) \(many)"
        }
        let parts = [
            named(missing, "is missing", "are missing"),
            named(extra, "is not expected", "are not expected"),
        ].compactMap(\.self)
        guard parts.isEmpty else { return parts.joined(separator: ", and ") }
        guard let (early, late) = zip(found, expected).first(where: { $0 != $1 }) else {
            return "the callbacks differ"
        }
        return "the callback \(early) comes before \(late)"
    }

    // MARK: Drawings

    /// Draws the session's screen and the recorded screen of the app as text, side by side.
    private func screens(_ step: Trace.Step) async -> String {
        let drawing = ScreenDrawing(width: 35)
        guard let right = try? await drawing.draw(driver) else { return "" }
        let left = ["the storyboard shows"] + right.split(separator: "\n").map(String.init)
        let app =
            ["the app shows"]
            + drawing.draw(step.session, step.screen).split(separator: "\n").map(String.init)
        return (0..<max(left.count, app.count)).map { index in
            let one = index < left.count ? left[index] : ""
            let other = index < app.count ? app[index] : ""
            let space = String(repeating: " ", count: max(1, drawing.width + 4 - one.count))
            return other.isEmpty ? one : one + space + other
        }.joined(separator: "\n")
    }
}

extension Trace {
    /// The user of the first line, with the password of the first log-in of this user that changed
    /// the stack of the app or, without a stack, led to callbacks: the app has accepted this password.
    fileprivate var user: Flows.Step.AccountName? {
        guard let username else { return nil }
        var user = Flows.Step.AccountName(username: username)
        for (before, step) in zip(steps, steps.dropFirst()) {
            guard case .logIn(let account) = step.action,
                account.username.lowercased() == username.lowercased(),
                step.value("stack") != before.value("stack")
                    || step.value("stack") == nil && !step.callbacks.isEmpty
            else { continue }
            user.password = account.password
            break
        }
        return user
    }
}

extension Trace.Step {
    fileprivate func value(_ key: String) -> JSONValue? {
        shown.first { $0.key == key }?.value
    }

    private func title(_ entry: JSONValue?) -> JSONValue {
        if let entry, entry.text != nil { return entry }
        return entry?["title"] ?? entry?["scene"].map { .string("(\($0.text ?? ""))") } ?? .null
    }

    /// The recorded screen in the form of a session's JSON, so that `ScreenDrawing` can draw it.
    /// Members that the app did not record are missing.
    fileprivate var session: JSONValue {
        let stack = value("stack")?.elements ?? []
        let below = stack.count > 1 ? title(stack[stack.count - 2]) : .null
        let back = value("back") ?? below
        return [
            "navigationBar": [
                "title": value("title") ?? title(stack.last),
                "backButton": back == .null ? .null : ["title": back],
            ]
        ]
    }

    fileprivate var screen: JSONValue {
        let titles = value("rows")?.texts
        let rows = (titles ?? []).prefix(ScreenDrawing.maximumRows).map { title in
            ["title": .string(title)] as JSONValue
        }
        guard let count = titles?.count ?? value("rows")?["count"]?.number else { return .null }
        return ["kind": "table", "numberOfRows": .integer(count), "rows": .array(rows)]
    }
}
