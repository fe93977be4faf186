import JSON
import Navigation
import Sessions

/// A recorded change of a session in the form of an HTTP request: the name of an operation and a
/// body.
struct RecordedOperation {
    /// The last component of the request's path, or `patch` for an update of a view controller. Two
    /// names stand for changes that no client requested. `fall-back` is a log-out because the
    /// user's credential is no longer valid. `fresh-root` is a new start of the session at its root
    /// view controller, because the app lacks a scene or data that the session needs.
    let name: String
    /// The view controller that a `patch` changes: its id or, in a flow file, a reference such as
    /// `@book#2`. Nil for other operations.
    let viewController: String?
    let body: JSONObject

    /// Creates the operation from a change in the history of a session.
    /// - Parameter references: the functions that return the texts for the ids in the body.
    init(_ change: JournalEntry.Change, _ references: IDReferences = .plain) {
        var members = BodyMembers(references)
        var patched: String?
        switch change {
        case .perform(.update(let id, let changes, let parameters), _):
            name = "patch"
            patched = references.viewController(id)
            members.add(changes, parameters)
        case .perform(let operation, let animated):
            name = members.add(operation)
            // A batch is not a `NavigationOperation`, and is not animated by default.
            let isDefault =
                (NavigationOperation(rawValue: name)?.isAnimatedByDefault ?? false) == animated
            if !isDefault { members.add("animated", .boolean(animated)) }
        case .logIn(let username, _, let isSignUp):
            name = isSignUp ? "sign-up" : "log-in"
            members.add("username", .string(username))
        case .logOut: name = "log-out"
        case .fallBack(let refusal):
            name = "fall-back"
            members.add("reason", .string(refusal.rawValue))
        case .freshRoot: name = "fresh-root"
        }
        viewController = patched
        body = JSONObject(members: members.members)
    }
}

/// Functions that return the text for the id of a view controller or navigation controller in a
/// recorded operation. The text is the id itself or, in a flow file, a reference such as `@book#2`.
struct IDReferences {
    let viewController: (ViewController.ID) -> String
    let navigationController: (NavigationController.ID) -> String

    static var plain: IDReferences {
        IDReferences(
            viewController: { $0.description }, navigationController: { $0.description })
    }
}

/// The members of the request body with which a client asks for an operation. `NavigationOperation`
/// decodes such bodies.
private struct BodyMembers {
    private(set) var members: [JSONObject.Member] = []
    private let references: IDReferences

    init(_ references: IDReferences) { self.references = references }

    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append(JSONObject.Member(name: name, value: value)) }
    }

    private mutating func add(_ name: String, _ id: ViewController.ID?) {
        add(name, id.map { .string(references.viewController($0)) })
    }

    private mutating func add(_ name: String, _ texts: [String: String]) {
        guard !texts.isEmpty else { return }
        let members = texts.sorted { $0.key < $1.key }.map {
            JSONObject.Member(name: $0.key, value: .string($0.value))
        }
        add(name, .object(JSONObject(members: members)))
    }

    /// Adds the members of an operation to the body.
    /// - Returns: the operation's name, the last component of the path of its route.
    mutating func add(_ operation: Operation) -> String {
        switch operation {
        case .push(let target): return add(.push, target)
        case .pop: return NavigationOperation.pop.rawValue
        case .popTo(let id): return add(.popTo, .instance(id))
        case .popToScene(let name): return add(.popTo, .scene(name, parameters: [:]))
        case .popToRoot: return NavigationOperation.popToRoot.rawValue
        case .setViewControllers(let targets):
            add("viewControllers", .array(targets.map { entry($0) }))
            return NavigationOperation.viewControllers.rawValue
        case .setRootViewController(let target): return add(.rootViewController, target)
        case .select(let row): return add(.select, "row", .integer(row))
        case .selectSegment(let index): return add(.selectedSegment, "index", .integer(index))
        case .back: return NavigationOperation.back.rawValue
        case .open(let link): return add(.open, "path", .string(link.path))
        case .present(let presentation): return add(presentation)
        case .dismiss(let id):
            add("viewController", id)
            return NavigationOperation.dismiss.rawValue
        case .swipeDown: return NavigationOperation.swipeDown.rawValue
        case .selectTab(let index): return add(.selectedTab, "index", .integer(index))
        case .tapTab(let index): return add(.tapTab, "index", .integer(index))
        case .segue(let identifier, let parameters, let source):
            add("identifier", .string(identifier))
            add("parameters", parameters)
            add("from", source)
            return NavigationOperation.segue.rawValue
        case .tap(let target): return add(target)
        case .show(let target): return add(.show, target)
        case .unwind(.action(let action)): return add(.unwind, "action", .string(action))
        case .unwind(.viewController(let id)): return add(.unwind, .instance(id))
        case .on(let id, let operation):
            let name = add(operation)
            add("navigationController", .string(references.navigationController(id)))
            return name
        case .batch(let operations):
            add("operations", .array(operations.map { member(of: $0) }))
            return "batch"
        // These are not used: the journal records log-ins and log-outs as changes of their own
        // kinds, and `RecordedOperation` writes a patch without this method.
        case .update: return "patch"
        case .logIn: return "log-in"
        case .logOut: return "log-out"
        }
    }

    private mutating func add(
        _ operation: NavigationOperation, _ name: String, _ value: JSONValue
    ) -> String {
        add(name, value)
        return operation.rawValue
    }

    private mutating func add(_ operation: NavigationOperation, _ target: Target) -> String {
        switch target {
        case .scene(let name, let parameters):
            add("scene", .string(name))
            add("parameters", parameters)
        case .instance(let id): add("viewController", id)
        }
        return operation.rawValue
    }

    private func entry(_ target: Target) -> JSONValue {
        var entry = BodyMembers(references)
        _ = entry.add(.viewControllers, target)
        return .object(JSONObject(members: entry.members))
    }

    /// Returns an operation as an entry of a batch: the members of its body, and its name in the
    /// member `op`.
    private func member(of operation: Operation) -> JSONValue {
        var body = BodyMembers(references)
        let name = body.add(operation)
        let op = JSONObject.Member(name: "op", value: .string(name))
        return .object(JSONObject(members: [op] + body.members))
    }

    private mutating func add(_ presentation: Presentation) -> String {
        add("scene", .string(presentation.scene))
        add("parameters", presentation.parameters)
        add("presentationStyle", presentation.style.map { .string($0.rawValue) })
        add("isModalInPresentation", presentation.isModalInPresentation.map { .boolean($0) })
        add("from", presentation.from)
        return NavigationOperation.present.rawValue
    }

    private mutating func add(_ target: TapTarget) -> String {
        switch target {
        case .title(let title, let place):
            add("title", .string(title))
            add("place", place.map { .string($0.rawValue) })
        case .index(let index, let place):
            add("place", .string(place.rawValue))
            add("index", .integer(index))
        }
        return NavigationOperation.tap.rawValue
    }

    // MARK: Patches

    mutating func add(_ changes: ViewControllerChanges, _ parameters: [String: String]?) {
        nullable("title", changes.title)
        var item = BodyMembers(references)
        item.nullable("title", changes.navigationItem.title)
        item.nullable("backButtonTitle", changes.navigationItem.backButtonTitle)
        item.flag("hidesBackButton", changes.navigationItem.hidesBackButton)
        item.texts("leftItems", changes.navigationItem.leftItems)
        item.flag(
            "leftItemsSupplementBackButton", changes.navigationItem.leftItemsSupplementBackButton)
        item.texts("rightItems", changes.navigationItem.rightItems)
        nested("navigationItem", item)
        flag("hidesBottomBarWhenPushed", changes.hidesBottomBarWhenPushed)
        nullable("bottomBarText", changes.bottomBarText)
        texts("toolbarItems", changes.toolbarItems)
        flag("isModalInPresentation", changes.isModalInPresentation)
        var tab = BodyMembers(references)
        tab.nullable("title", changes.tabBarItem.title)
        tab.nullable("badge", changes.tabBarItem.badge)
        nested("tabBarItem", tab)
        guard let parameters else { return }
        add(
            "parameters",
            .object(
                JSONObject(
                    members: parameters.sorted { $0.key < $1.key }.map {
                        JSONObject.Member(name: $0.key, value: .string($0.value))
                    })))
    }

    private mutating func nullable(_ name: String, _ text: String??) {
        guard let text else { return }
        add(name, text.map { .string($0) } ?? .null)
    }

    private mutating func flag(_ name: String, _ flag: Bool?) {
        add(name, flag.map { .boolean($0) })
    }

    private mutating func texts(_ name: String, _ texts: [String]?) {
        add(name, texts.map { .array($0.map { .string($0) }) })
    }

    private mutating func nested(_ name: String, _ nested: BodyMembers) {
        if !nested.members.isEmpty {
            add(name, .object(JSONObject(members: nested.members)))
        }
    }
}
