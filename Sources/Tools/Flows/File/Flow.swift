import JSON
import NavigationRules

/// A scripted test of an app: the actions of a user in one session, and the expected screens after
/// the actions.
package struct Flow: Sendable {
    package let name: String
    /// The path of the storyboard; nil for the one that the command line names or, if it names
    /// none, the built-in one.
    package var app: String?
    /// The order of the lifecycle callbacks; nil for the storyboard's.
    package var lifecycle: LifecycleOrder?
    package var isStrict: Bool?
    /// The flags of the session whose values differ from the storyboard's.
    package var flags: [String: Bool] = [:]
    /// The user names of the accounts that exist before the first step. Their password is
    /// `FlowRun.password`.
    package var accounts: [String] = []
    package var tags: [String] = []
    package let steps: [Step]
    package let place: Place
}

/// One step of a flow (a scripted test): an action, an expectation, or both.
package struct Step: Sendable {
    package enum Action: Sendable, Equatable {
        /// An operation of the HTTP interface, such as `push`, with its JSON body. In the body,
        /// `@books` can stand for the id of the live view controller of the scene `books`, and a
        /// title can stand for the index of a row, segment or tab.
        case operation(String, JSONObject)
        case logIn(AccountName)
        case signUp(AccountName)
        case logOut
        /// Revokes the credential that the last log-in or sign-up returned.
        case revoke
        /// Loads the session again from the store, as the service does after a restart. The flow
        /// fails if the loaded session differs from the session before.
        case restart
        /// Forks the session, that is, makes a copy of it, and continues the flow in the copy. The
        /// flow fails if the copy differs in more than its id, revision and dates.
        case fork
    }

    /// The user name and the password of a log-in or a sign-up.
    package struct AccountName: Sendable, Equatable {
        package let username: String
        package var password = FlowRun.password
    }

    package let action: Action?
    /// The problem code with which the action must be refused; nil if the action must succeed.
    package var refused: String?
    package var expectations: [Expectation] = []
    /// The text of the step on one line, for reports.
    package let text: String
    package let place: Place

    /// Whether an app can make the step fail. `restart` and `fork` fail only for a defect of Waypost.
    var canFail: Bool {
        switch action {
        case nil, .restart, .fork: !expectations.isEmpty
        default: true
        }
    }
}

/// A value that a step expects in the session, such as the title of the screen.
package struct Expectation: Sendable, Equatable {
    /// The name of the expected value: one of `Expectation.names`, or a dotted path into the
    /// session's JSON, such as `viewControllers.0.title`.
    package let key: String
    package let value: JSONValue
    /// The file, line and column at which the expected value is written.
    package let place: Place

    /// The short names for values of a session. The key of an expectation is one of these names, or
    /// a dotted path into the session's JSON.
    package static let names = [
        "title", "back", "stack", "root", "tab", "layers", "segment", "bottomBar", "rows", "image",
        "pending", "pendingLink", "link", "popped", "transition", "changed", "events", "auth",
        "flags",
    ]

    /// The members of a session's JSON with which the dotted path of an expectation can begin. A
    /// path can also begin with one of `names`.
    package static let sessionMembers = [
        "id", "revision", "lifecycle", "strict", "window", "viewControllers", "navigationBar",
        "segmentedControl", "toolbar", "screen", "tabBar", "createdAt", "expiresAt",
    ]
}
