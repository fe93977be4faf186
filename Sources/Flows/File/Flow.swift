import JSON
import Navigation

/// A test of an app: the actions of a user in one session, and the expected screens after them.
public struct Flow: Sendable {
    public let name: String
    /// The path of the storyboard; nil for the one that the command names.
    public let app: String?
    public let lifecycle: LifecycleOrder
    public let isStrict: Bool
    public let tags: [String]
    public let steps: [Step]
    public let place: Place

    public init(
        name: String, app: String? = nil, lifecycle: LifecycleOrder = .forwarded,
        isStrict: Bool = false, tags: [String] = [], steps: [Step], place: Place
    ) {
        self.name = name
        self.app = app
        self.lifecycle = lifecycle
        self.isStrict = isStrict
        self.tags = tags
        self.steps = steps
        self.place = place
    }
}

/// One step of a flow: an action, an expectation, or both.
public struct Step: Sendable {
    public enum Action: Sendable, Equatable {
        /// An operation of the HTTP interface with its body. In the body, `@scene` can stand for
        /// the id of a live view controller, and a title for the index of a row, segment or tab.
        case operation(String, JSONObject)
        case patch(at: String, JSONObject)
        case logIn(AccountName)
        case signUp(AccountName)
        case logOut
        /// Revokes the credential of the last log-in.
        case revoke
        /// Stores the session and loads it again. The flow fails if this changes the session.
        case restart
        /// Continues the flow in a fork of its session. The flow fails if the fork differs from the
        /// session.
        case fork
    }

    /// The account of a log-in or a sign-up.
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
    /// The code with which the action must be refused; nil if it must succeed.
    public let refused: String?
    public let expectations: [Expectation]
    /// The step in one line, as a report shows it.
    public let text: String
    public let place: Place

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

/// A value that a step expects of the session.
public struct Expectation: Sendable, Equatable {
    /// A name of `Expectation.names`, or a dotted path into the session's JSON.
    public let key: String
    public let value: JSONValue
    /// The place of the value.
    public let place: Place

    public init(key: String, value: JSONValue, place: Place) {
        self.key = key
        self.value = value
        self.place = place
    }

    /// The keys that an expectation can have besides paths into the session's JSON.
    public static let names = [
        "title", "back", "stack", "root", "tab", "layers", "segment", "bottomBar", "rows", "image",
        "pendingLink", "popped", "transition", "changed", "events", "auth",
    ]

    /// The members of a session, besides those in `names`, with which a dotted path can begin.
    public static let sessionMembers = [
        "id", "revision", "lifecycle", "strict", "window", "viewControllers", "navigationBar",
        "segmentedControl", "toolbar", "screen", "tabBar", "createdAt", "expiresAt",
    ]
}
