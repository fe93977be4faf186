import NavigationRules

/// The user names with which the steps of a flow sign up and log in. A sign-up makes an account, so
/// no two have the same name.
struct Usernames {
    private let isStrict: Bool
    private var taken: Set<String>
    /// The accounts that must exist before the first step.
    private(set) var accounts: [String] = []

    /// - Parameters:
    ///   - isStrict: whether the steps are those of a strict session.
    ///   - taken: the user names of accounts that exist already, in lower case. The steps log in to
    ///     none of them, because their passwords are unknown.
    init(isStrict: Bool, taken: Set<String> = []) {
        self.isStrict = isStrict
        self.taken = taken
    }

    /// Returns the steps of a flow that perform these actions.
    mutating func steps(
        _ actions: [Exploration.Action], _ exploration: Exploration
    ) -> [String] {
        actions.map { step($0, exploration) }
    }

    private mutating func step(_ action: Exploration.Action, _ exploration: Exploration) -> String {
        switch action {
        // A strict session takes no sign-up at the form that logs in.
        case .logIn where isStrict:
            if accounts.isEmpty { accounts.append(newName()) }
            return "\(LogIn.name): \(accounts[0])"
        case .logIn, .signUp: return "\(LogIn.signUpName): \(newName())"
        default: return exploration.step(action)
        }
    }

    private mutating func newName() -> String {
        let names = ["ada"] + (2...(taken.count + 2)).map { "ada\($0)" }
        let name = names.first { !taken.contains($0) } ?? "ada"
        taken.insert(name)
        return name
    }
}
