import NavigationRules

/// The user names with which the steps of a flow sign up and log in. A sign-up makes an account, so
/// no two have the same name.
struct Usernames {
    var taken: Set<String> = []
    /// The accounts that must exist before the first step.
    private(set) var accounts: [String] = []

    /// Returns the steps of a flow that perform these actions.
    mutating func steps(
        _ actions: [Exploration.Action], _ exploration: Exploration
    ) -> [String] {
        actions.map { step($0, exploration) }
    }

    private mutating func step(_ action: Exploration.Action, _ exploration: Exploration) -> String {
        switch action {
        case .signUp: break
        // A strict session takes no sign-up at the form that logs in.
        case .logIn where !exploration.app.storyboard.isStrict: break
        case .logIn:
            if taken.insert("ada").inserted { accounts.append("ada") }
            return exploration.step(action)
        default: return exploration.step(action)
        }
        let names = ["ada"] + (2...(taken.count + 2)).map { "ada\($0)" }
        let name = names.first { !taken.contains($0) } ?? "ada"
        taken.insert(name)
        return "\(LogIn.signUpName): \(name)"
    }
}
