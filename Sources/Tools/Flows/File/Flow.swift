import JSON
import NavigationRules

/// A scripted test of an app: the actions of a user in one session, and the expected screens after
/// the actions.
public struct Flow: Sendable {
    public let name: String
    /// The path of the storyboard; nil for the one that the command line names or, if it names
    /// none, the built-in one.
    public let app: String?
    /// The order of the lifecycle callbacks; nil for the storyboard's.
    public let lifecycle: LifecycleOrder?
    public let isStrict: Bool?
    /// The flags of the session whose values differ from the storyboard's.
    public let flags: [String: Bool]
    /// The user names of the accounts that exist before the first step. Their password is
    /// `FlowRun.password`.
    public let accounts: [String]
    public let tags: [String]
    public let steps: [Step]
    public let place: Place

    public init(
        name: String, app: String? = nil, lifecycle: LifecycleOrder? = nil,
        isStrict: Bool? = nil, flags: [String: Bool] = [:], accounts: [String] = [],
        tags: [String] = [], steps: [Step], place: Place
    ) {
        self.name = name
        self.app = app
        self.lifecycle = lifecycle
        self.isStrict = isStrict
        self.flags = flags
        self.accounts = accounts
        self.tags = tags
        self.steps = steps
        self.place = place
    }
}

/// One step of a flow (a scripted test): an action, an expectation, or both.
public struct Step: Sendable {
    public enum Action: Sendable, Equatable {
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
    public struct AccountName: Sendable, Equatable {
        public let username: String
        /// The password; nil for the default, `FlowRun.password`.
        public let password: String?

        public init(username: String, password: String? = nil) {
            self.username = username
            self.password = password
        }
    }

    public let action: Action?
    /// The problem code with which the action must be refused; nil if the action must succeed.
    public let refused: String?
    public let expectations: [Expectation]
    /// The text of the step on one line, for reports.
    public let text: String
    public let place: Place

    /// Whether an app can make the step fail. `restart` and `fork` fail only for a defect of Waypost.
    var canFail: Bool {
        switch action {
        case nil, .restart, .fork: !expectations.isEmpty
        default: true
        }
    }

    public init(
        action: Action?, refused: String? = nil, expectations: [Expectation] = [], text: String,
        place: Place
    ) {
        self.action = action
        self.refused = refused
        self.expectations = expectations
        self.text = text
        self.place = place
    }
}

/// A value that a step expects in the session, such as the title of the screen.
public struct Expectation: Sendable, Equatable {
    /// The name of the expected value: one of `Expectation.names`, or a dotted path into the
    /// session's JSON, such as `viewControllers.0.title`.
    public let key: String
    public let value: JSONValue
    /// The file, line and column at which the expected value is written.
    public let place: Place

    public init(key: String, value: JSONValue, place: Place) {
        self.key = key
        self.value = value
        self.place = place
    }

    /// The short names for values of a session. The key of an expectation is one of these names, or
    /// a dotted path into the session's JSON.
    public static let names = [
        "title", "back", "stack", "root", "tab", "layers", "segment", "bottomBar", "rows", "image",
        "pending", "pendingLink", "link", "popped", "transition", "changed", "events", "auth",
        "flags",
    ]

    /// The members of a session's JSON with which the dotted path of an expectation can begin. A
    /// path can also begin with one of `names`.
    public static let sessionMembers = [
        "id", "revision", "lifecycle", "strict", "window", "viewControllers", "navigationBar",
        "segmentedControl", "toolbar", "screen", "tabBar", "createdAt", "expiresAt",
    ]
}
