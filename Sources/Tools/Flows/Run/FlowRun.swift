import JSON
import NavigationRules

/// Runs one flow (a scripted test) with a driver, which performs the steps in a session.
package struct FlowRun {
    /// The password of each account for which a flow gives no password.
    static let password = "correct horse battery staple"

    private let flow: Flow
    private let driver: any FlowDriver
    /// Whether the flow continues after an expectation that is not met, so that `--update` can
    /// correct all expectations of the flow at once.
    private let goesOn: Bool
    /// The response to the latest action; nil if there was no action yet, or if the latest action
    /// was refused. `revoke`, `restart` and `fork` do not count, because they have no response.
    private var answer: Answer?
    /// The user names of the accounts that this flow has made, in lower case.
    private var accounts: Set<String> = []
    private var steps: [FlowResult.StepResult] = []
    private var mismatches: [Mismatch] = []
    private var failure: Failure?

    /// Runs a flow, which is a scripted test.
    /// - Parameter goesOn: whether the flow continues after an expectation that is not met. Any
    ///   other failure ends the flow.
    /// - Returns: the result with the status of each step. Steps after the end of the flow have the
    ///   status `skipped`.
    package static func run(
        _ flow: Flow, on driver: any FlowDriver, goesOn: Bool = false
    ) async -> FlowResult {
        let clock = ContinuousClock()
        let start = clock.now
        var run = FlowRun(flow: flow, driver: driver, goesOn: goesOn)
        do { try await run.makeAccounts() } catch {
            run.failure = Failure(step: 0, reason: "\(error)")
        }
        for (index, step) in flow.steps.enumerated() {
            await run.take(step, index)
        }
        await driver.end()
        return FlowResult(
            flow: flow, steps: run.steps, failure: run.failure, mismatches: run.mismatches,
            seconds: (clock.now - start) / .seconds(1))
    }

    init(flow: Flow, driver: any FlowDriver, goesOn: Bool) {
        self.flow = flow
        self.driver = driver
        self.goesOn = goesOn
    }

    private mutating func makeAccounts() async throws {
        for account in flow.accounts {
            try await driver.makeAccount(account, Self.password)
            accounts.insert(account.lowercased())
        }
    }

    private var isOver: Bool {
        guard let failure else { return false }
        return !goesOn || failure.mismatches.isEmpty
    }

    private mutating func take(_ step: Step, _ index: Int) async {
        guard !isOver else {
            steps.append(FlowResult.StepResult(step: step, status: .skipped))
            return
        }
        do {
            try await act(step)
            let different = try await differences(step)
            guard different.isEmpty else {
                mismatches += different
                let keys = different.map(\.expectation.key).joined(separator: ", ")
                return await fail(step, index, "not as expected: \(keys)", different)
            }
            steps.append(FlowResult.StepResult(step: step, status: .passed))
        } catch {
            await fail(step, index, "\(error)", [])
        }
    }

    private mutating func fail(
        _ step: Step, _ index: Int, _ reason: String, _ different: [Mismatch]
    ) async {
        steps.append(FlowResult.StepResult(step: step, status: .failed))
        guard failure == nil || different.isEmpty else { return }
        let screen = (try? await ScreenDrawing().draw(driver)) ?? ""
        failure = Failure(step: index, reason: reason, mismatches: different, screen: screen)
    }

    private func differences(_ step: Step) async throws -> [Mismatch] {
        guard !step.expectations.isEmpty else { return [] }
        let findings = Findings(driver, answer)
        var different: [Mismatch] = []
        for expectation in step.expectations {
            let found = try await findings.value(for: expectation)
            if !found.equals(expectation.value) {
                different.append(Mismatch(expectation: expectation, found: found))
            }
        }
        return different
    }

    // MARK: Actions

    private mutating func act(_ step: Step) async throws {
        guard let action = step.action else { return }
        guard let answer = try await perform(action, refused: step.refused) else { return }
        if let refusal = answer.refusal {
            guard refusal.code == step.refused else {
                let expected = step.refused.map { ", expected \($0)" } ?? ""
                throw FlowFailure(
                    "refused with \(refusal.code)\(expected): \(refusal.detail)"
                        + suggestion(for: refusal, action))
            }
            // The expectations of this step are not about the response to an earlier action.
            self.answer = nil
        } else if let refused = step.refused {
            throw FlowFailure("expected a refusal with \(refused), but it succeeded")
        } else {
            self.answer = answer
            if case .signUp(let account) = action { accounts.insert(account.username.lowercased()) }
        }
    }

    /// Performs an action.
    /// - Parameter refused: the problem code with which the action must be refused; nil if it must
    ///   succeed.
    /// - Returns: the response; nil for `revoke`, `restart` and `fork`, which have no response.
    /// - Throws: the reason why the action cannot be performed, such as a reference that matches
    ///   nothing.
    func perform(_ action: Step.Action, refused: String?) async throws -> Answer? {
        switch action {
        case .operation(let name, let body):
            return try await driver.perform(name, filled(body, in: name, refused: refused))
        case .logIn(let account):
            return try await driver.logIn(account.username, account.password)
        case .signUp(let account):
            return try await driver.signUp(account.username, account.password)
        case .logOut: return try await driver.logOut()
        case .revoke: try await driver.revoke()
        case .restart:
            try await keeping([], "after it was stored and loaded") { try await $0.restart() }
        case .fork: try await keeping(Self.ownMembers, "in its fork") { try await $0.fork() }
        }
        return nil
    }

    /// The members of a session's JSON that have different values in a fork (a copy) of the
    /// session.
    private static let ownMembers = ["id", "revision", "createdAt", "expiresAt"]

    /// Calls `act`, and checks that the session's JSON is the same before and after the call.
    /// - Parameters:
    ///   - others: the members that may change.
    ///   - circumstance: the end of the error message, such as "in its fork".
    /// - Throws: `FlowFailure` if another member changes, and the errors of `act`.
    private func keeping(
        _ others: [String], _ circumstance: String, _ act: (any FlowDriver) async throws -> Void
    ) async throws {
        let (session, layers) = (try await driver.session(), try await driver.layers())
        try await act(driver)
        guard try await driver.session().without(others) == session.without(others),
            try await driver.layers() == layers
        else { throw FlowFailure("the session is another one \(circumstance)") }
    }

    private func suggestion(for refusal: Answer.Refusal, _ action: Step.Action) -> String {
        if case .logIn(let account) = action, refusal.code == "wrong-password",
            !accounts.contains(account.username.lowercased())
        {
            return "; this flow has made no account \(account.username): "
                + "write `accounts: [\(account.username)]` beside `steps`, or `sign-up: "
                + "\(account.username)` first"
        }
        if case .signUp(let account) = action, refusal.code == "username-taken",
            accounts.contains(account.username.lowercased())
        {
            return "; the flow has this account already: write `log-in: \(account.username)`"
        }
        guard refusal.code == "scene-not-found", case .operation(_, let body) = action,
            let scene = body["scene"]?.text
        else { return "" }
        return didYouMean(scene, among: driver.sceneNames.sorted()).map { "; \($0)" } ?? ""
    }

    // MARK: References

    /// Returns the body of an operation with each reference replaced by the id or index for which
    /// the reference currently stands.
    /// - Parameter refused: the problem code with which the operation must be refused; nil if it
    ///   must succeed. If there is a code, an unknown title becomes an index that is out of range,
    ///   so that the session can refuse the operation.
    private func filled(
        _ body: JSONObject, in operation: String, refused: String?
    ) async throws -> JSONObject {
        let kinds = body.references(in: operation)
        guard !kinds.isEmpty else { return body }
        let instances = kinds.contains(.viewController) ? try await instances() : []
        let session = kinds.contains(.item) ? try await driver.session() : .null
        let rows = kinds.contains(.row) ? try await driver.rowTitles() : []
        let references = BodyReferences(
            viewController: { label throws(FlowFailure) in
                try Self.find(label, in: instances).id
            },
            navigationController: { label throws(FlowFailure) in
                try Self.find(label, in: instances).holder
            },
            index: { title, place throws(FlowFailure) in
                let titles =
                    switch place {
                    case .row: rows
                    case .segment: Self.titles(session["segmentedControl"]?["segments"])
                    default: Self.titles(session["tabBar"]?["items"])
                    }
                if refused != nil, !titles.contains(title) { return titles.count }
                return try Self.index(of: title, place.rawValue, in: titles)
            })
        return try body.replacing(in: operation, with: references)
    }

    private struct Instance {
        let label: String
        let id: String
        let holder: String
    }

    /// Returns the live view controllers of the session: layer by layer, in each layer tab by tab,
    /// and in each tab from the root of the stack to its top. A layer is the content of the window
    /// or a presented screen.
    private func instances() async throws -> [Instance] {
        var counts: [String: Int] = [:]
        var instances: [Instance] = []
        for layer in try await driver.layers()["layers"]?.elements ?? [] {
            for holder in layer["navigationControllers"]?.elements ?? [] {
                for viewController in holder["viewControllers"]?.elements ?? [] {
                    let scene = viewController["scene"]?.text ?? ""
                    counts[scene, default: 0] += 1
                    let count = counts[scene, default: 1]
                    instances.append(
                        Instance(
                            label: count == 1 ? "@\(scene)" : "@\(scene)#\(count)",
                            id: viewController["id"]?.text ?? "",
                            holder: holder["id"]?.text ?? ""))
                }
            }
        }
        return instances
    }

    private static func find(
        _ label: String, in instances: [Instance]
    ) throws(FlowFailure) -> Instance {
        if let found = instances.first(where: { $0.label == label }) { return found }
        let labels = instances.map(\.label)
        let advice =
            didYouMean(label, among: labels) ?? "there are \(labels.joined(separator: ", "))"
        throw FlowFailure("no view controller is \(label); \(advice)")
    }

    private static func titles(_ items: JSONValue?) -> [String] {
        (items?.elements ?? []).map { $0["title"]?.text ?? "" }
    }

    private static func index(
        of title: String, _ what: String, in titles: [String]
    ) throws(FlowFailure) -> Int {
        if let index = titles.firstIndex(of: title) { return index }
        let some = titles.prefix(5).joined(separator: ", ") + (titles.count > 5 ? ", …" : "")
        let advice =
            didYouMean(title, among: titles)
            ?? (titles.isEmpty ? "there is no \(what)" : "the titles are \(some)")
        throw FlowFailure("no \(what) has the title \(title); \(advice)")
    }
}

extension JSONValue {
    /// Returns the object without the members with these names.
    fileprivate func without(_ names: [String]) -> JSONValue {
        object.map { .object($0.without(names)) } ?? self
    }

    /// Returns whether two values are equal. The order of an object's members does not matter.
    func equals(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object(let one), .object(let two)):
            one.members.count == two.members.count
                && one.members.allSatisfy { member in
                    two[member.name].map { member.value.equals($0) } ?? false
                }
        case (.array(let one), .array(let two)):
            one.count == two.count && zip(one, two).allSatisfy { $0.equals($1) }
        default: self == other
        }
    }
}
