internal import JSON
internal import NavigationRules

/// The navigation state of a launched app: who is logged in, the layers, and the navigation stacks
/// of view controllers. `App.launch` makes one. A window is a value, so that a test can try several
/// operations from the same state.
///
/// Each operation returns what it did, or throws the reason why it was refused; the window is then
/// unchanged.
public struct Window: Sendable, Equatable, CustomStringConvertible {
    private var rules: NavigationRules.Window
    private let app: NavigationRules.App
    /// The effects of the latest operation that was not refused; at first, those of the launch.
    public private(set) var lastChange: Change

    init(
        _ rules: NavigationRules.Window, in app: NavigationRules.App, events: [LifecycleEvent]
    ) {
        self.rules = rules
        self.app = app
        lastChange = Change(launch: events)
    }

    public static func == (one: Window, other: Window) -> Bool {
        one.rules == other.rules && one.app === other.app
    }

    mutating func perform(
        _ operation: some NavigationOperation, animated: Bool? = nil
    ) throws(Refusal) -> Change {
        try perform(Operation(operation), animated: animated)
    }

    private mutating func perform(
        _ operation: NavigationRules.Operation, animated: Bool?
    ) throws(Refusal) -> Change {
        do throws(NavigationError) {
            lastChange = Change(try rules.perform(operation, animated: animated, in: app))
            return lastChange
        } catch {
            throw Refusal(error)
        }
    }

    /// Performs an operation of the HTTP interface that has no method here, or one with all its
    /// members.
    /// - Parameter json: an object with one member, the name of the operation, whose value is the
    ///   body of the request, such as `{"patch": {"viewController": "vc2", "title": "Draft"}}`.
    /// - Throws: `invalid-body` for anything else, and the refusals of the operation.
    @discardableResult
    public mutating func perform(_ json: String) throws(Refusal) -> Change {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONParser.foundation.parse(Array(json.utf8)[...], 32)
        } catch {
            throw Refusal(invalid: error.reason)
        }
        guard case .object(let object) = value else {
            throw Refusal(invalid: "expected an object")
        }
        var body = BodyReader(object)
        let read = NavigationRules.Operation.read(&body, inBatch: false)
        do throws(BodyError) { try body.finish() } catch { throw Refusal(error) }
        guard let read else { throw Refusal(invalid: "expected an operation") }
        return try perform(read.operation, animated: read.animated)
    }

    // MARK: State

    /// The visible view controller.
    public var topViewController: ViewController { ViewController(rules.topViewController) }

    /// The view controllers on the stack of the visible one, from the root to the top.
    public var viewControllers: [ViewController] {
        rules.viewControllers.map(ViewController.init)
    }

    /// All layers, from the root layer to the top one, which contains the visible view controller.
    public var layers: [Layer] { rules.layers.map(Layer.init) }

    /// The title of the back button; nil if the navigation bar shows none.
    public var backButton: String? { rules.backButton?.title }

    /// The titles of the rows of the visible table; empty if the screen is no table.
    public var rows: [String] { rules.rows(0..<Int.max, in: app).map(\.title) }

    /// The user who is logged in; nil if nobody is, or if the app has no log-in.
    public var user: String? {
        rules.auth.username
    }

    /// The link that waits for the log-in; nil if there is none.
    public var pendingLink: String? { rules.pendingLink }

    /// The values of all flags of the storyboard, by name.
    public var flags: [String: Bool] {
        Dictionary(uniqueKeysWithValues: rules.flags.names.map { ($0, rules.flags[$0] ?? false) })
    }

    /// Returns the titles of the controls that the user can tap on the screen, in order.
    /// - Parameter place: the place of the controls; nil for all places, from top to bottom.
    public func controls(in place: Place? = nil) -> [String] {
        rules.taps(in: app).filter { place == nil || $0.place == place?.rules }.map(\.title)
    }

    /// The values that `differences(from:)` compares, one a line, such as `back: Authors`.
    public var description: String {
        Self.keys.map { "\($0): \(value(of: $0, like: nil).description)" }.joined(separator: "\n")
    }

    /// Compares the window, and what the latest operation did, with expectations of the same names
    /// and forms as in a flow:
    ///
    ///     #expect(window.differences(from: ["title": "Emma", "back": nil, "layers": 2]) == [])
    ///
    /// - Parameter expected: values by name. `title`, `back`, `bottomBar`, `link`, `pendingLink`,
    ///   `auth` (the user), `root` (`login` or `app`) and `transition` are texts or nil; `stack` and
    ///   `popped` are lists of titles, `events` of texts such as `viewDidLoad books`. `tab` and
    ///   `segment` are a title or an index, `layers` and `rows` a list of titles or a number. They
    ///   are nil without a tab bar, a segmented control or a table.
    /// - Returns: a text for each value that is another one, such as `back: expected nil, found
    ///   Authors`, sorted by name; empty if there is none.
    public func differences(from expected: [String: ExpectedValue]) -> [String] {
        expected.sorted { $0.key < $1.key }.compactMap { key, expected in
            guard Self.keys.contains(key) else {
                return "\(key): no such value; expected \(Self.keys.joined(separator: ", "))"
            }
            let found = value(of: key, like: expected)
            return found == expected ? nil : "\(key): expected \(expected), found \(found)"
        }
    }

    private static let keys = [
        "title", "back", "stack", "layers", "tab", "segment", "rows", "bottomBar", "link",
        "pendingLink", "auth", "root", "transition", "popped", "events",
    ]

    private func value(of key: String, like expected: ExpectedValue?) -> ExpectedValue {
        switch key {
        case "title": ExpectedValue(topViewController.title)
        case "back": ExpectedValue(backButton)
        case "stack": ExpectedValue(viewControllers.map(\.title))
        case "layers":
            ExpectedValue(
                rules.layers.map(\.selected.topViewController.effectiveTitle), like: expected)
        case "tab":
            ExpectedValue(
                rules.tabBar?.selectedIndex, in: rules.tabBar?.items.map(\.title), like: expected)
        case "segment":
            ExpectedValue(
                rules.isSingleStack ? rules.segments?.selectedIndex : nil,
                in: app.storyboard.segments.indices.map { rules.segmentTitle($0, in: app) },
                like: expected)
        case "rows":
            if case .table = rules.screen { ExpectedValue(rows, like: expected) } else { nil }
        case "bottomBar": ExpectedValue(rules.bottomBar.text)
        case "link": ExpectedValue(rules.link(in: app))
        case "pendingLink": ExpectedValue(pendingLink)
        case "auth": ExpectedValue(user)
        case "root": ExpectedValue(rules.root.rawValue)
        case "transition": ExpectedValue(lastChange.transition)
        case "popped": ExpectedValue(lastChange.popped.map(\.title))
        default: ExpectedValue(lastChange.events.map(\.description))
        }
    }
}
