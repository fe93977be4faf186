import NavigationRules

/// The state in which a flow (a scripted test) leaves the app.
package struct FlowEnd: Sendable {
    package let window: Window
    /// The user names of the flow's accounts, in lower case.
    package let accounts: Set<String>

    /// Runs a flow in this process, without a server.
    /// - Throws: `FlowFailure` if a step fails.
    package init(of flow: Flow, in app: App) async throws {
        let driver = try await LocalDriver(
            LocalApp(app), lifecycle: flow.lifecycle, isStrict: flow.isStrict, flags: flow.flags)
        let result = await FlowRun.run(flow, on: driver)
        if let failure = result.failure {
            let step = flow.steps.indices.contains(failure.step) ? flow.steps[failure.step] : nil
            let place = step.map { "\($0.place.file):\($0.place.line): " } ?? ""
            throw FlowFailure("\(place)\(failure.reason)")
        }
        window = driver.window
        let new = flow.steps.compactMap { step -> String? in
            guard step.refused == nil, case .signUp(let account) = step.action else { return nil }
            return account.username
        }
        accounts = Set((flow.accounts + new).map { $0.lowercased() })
    }
}
