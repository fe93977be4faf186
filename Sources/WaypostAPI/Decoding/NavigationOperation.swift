import HTTPCore
import Navigation

/// The navigation operations. Each operation has its own route, and can also be part of a batch
/// request. The raw value is the last component of the route's path.
enum NavigationOperation: String, CaseIterable, Sendable {
    case push
    case pop
    case popTo = "pop-to"
    case popToRoot = "pop-to-root"
    case viewControllers = "view-controllers"
    case rootViewController = "root-view-controller"
    case select
    case selectedSegment = "selected-segment"
    case back
    case open
    case present
    case dismiss
    case swipeDown = "swipe-down"
    case selectedTab = "selected-tab"
    case tapTab = "tap-tab"
    case segue
    case tap
    case show
    case unwind

    /// The maximum number of entries in the body of the operation `viewControllers`, which equals
    /// the maximum number of view controllers in a session.
    private static let maximumEntries = 4000

    var method: Method {
        switch self {
        case .viewControllers, .rootViewController, .selectedSegment, .selectedTab: .put
        default: .post
        }
    }

    /// The value of `animated` if the body has no such member.
    var isAnimatedByDefault: Bool {
        switch self {
        case .viewControllers, .rootViewController, .selectedSegment, .selectedTab: false
        default: true
        }
    }

    /// Whether the body may have the member `navigationController`, the id of the navigation
    /// controller that the operation changes.
    private var takesNavigationController: Bool {
        switch self {
        case .push, .pop, .popTo, .popToRoot, .back, .viewControllers, .rootViewController, .select:
            true
        default: false
        }
    }

    func decode(_ body: inout BodyReader) -> Operation {
        let operation = decodeMembers(&body)
        guard takesNavigationController, let id = body.navigationController() else {
            return operation
        }
        return .on(id, operation)
    }

    private func decodeMembers(_ body: inout BodyReader) -> Operation {
        switch self {
        case .push: .push(body.target())
        case .pop: .pop
        case .popTo: Self.popTo(&body)
        case .popToRoot: .popToRoot
        case .viewControllers:
            .setViewControllers(
                body.array("viewControllers", atMost: Self.maximumEntries) { $0.target() })
        case .rootViewController: .setRootViewController(body.target())
        case .select: .select(row: body.integer("row"))
        case .selectedSegment: .selectSegment(body.integer("index"))
        case .back: .back
        case .open: .open(body.link("path"))
        case .present: .present(body.presentation())
        case .dismiss: .dismiss(body.optionalViewController("viewController"))
        case .swipeDown: .swipeDown
        case .selectedTab: .selectTab(body.integer("index"))
        case .tapTab: .tapTab(body.integer("index"))
        case .segue:
            .segue(
                body.string("identifier"), parameters: body.strings("parameters"),
                from: body.optionalViewController("from"))
        case .tap: .tap(body.tap())
        case .show: .show(body.target())
        case .unwind: Self.unwind(&body)
        }
    }

    private static func unwind(_ body: inout BodyReader) -> Operation {
        if body.exactlyOne(of: "action", "viewController") == "viewController" {
            .unwind(.viewController(body.viewController("viewController")))
        } else {
            .unwind(.action(body.optionalString("action") ?? ""))
        }
    }

    private static func popTo(_ body: inout BodyReader) -> Operation {
        if body.exactlyOne(of: "viewController", "scene") == "viewController" {
            .popTo(body.viewController("viewController"))
        } else {
            .popToScene(body.optionalString("scene") ?? "")
        }
    }
}

extension BodyReader {
    /// Reads the view controller that an operation shows: `scene` and `parameters` for a new one,
    /// or `viewController` for the id of an existing one.
    mutating func target() -> Target {
        guard exactlyOne(of: "scene", "viewController") == "viewController" else {
            return .scene(optionalString("scene") ?? "", parameters: strings("parameters"))
        }
        return .instance(viewController("viewController"))
    }

    /// Reads the members of a modal presentation: `scene` and, optionally, `parameters`,
    /// `presentationStyle`, `isModalInPresentation` and `from`, the id of the presenting view
    /// controller.
    mutating func presentation() -> Presentation {
        Presentation(
            scene: string("scene"), parameters: strings("parameters"),
            style: choice("presentationStyle"),
            isModalInPresentation: optionalBoolean("isModalInPresentation"),
            from: optionalViewController("from"))
    }

    mutating func optionalViewController(_ name: String) -> ViewController.ID? {
        optionalString(name).map { viewControllerID($0, member: name) }
    }

    /// Reads the id of the navigation controller that an operation changes. Records a problem if
    /// the text does not have the form of such an id (`nc1`).
    /// - Returns: nil if the member `navigationController` is absent or not a string; a placeholder
    ///   with the number 0 if the text does not have the form of an id.
    mutating func navigationController() -> NavigationController.ID? {
        let name = "navigationController"
        return optionalString(name).map { text in
            if let id = NavigationController.ID(text) { return id }
            note(
                .navigationControllerNotFound, "no navigation controller has the id \(text)",
                member: name)
            return NavigationController.ID(number: 0)
        }
    }

    /// Reads the control that the user taps: the member `title` and optionally `place`, or the
    /// members `place` and `index`. The place is a kind of control, such as `row` or `tab`.
    mutating func tap() -> TapTarget {
        let place: Tap.Place? = choice("place")
        if exactlyOne(of: "title", "index") == "title" {
            return .title(optionalString("title") ?? "", in: place)
        }
        if place == nil, !has("place") {
            note("missing; expected the place of the index", member: "place")
        }
        return .index(integer("index"), in: place ?? .row)
    }

    /// Reads a member whose value is the raw value of a case of `Choice`. Records a defect for any
    /// other value.
    /// - Returns: nil if the member is absent or has another value.
    mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) -> Choice? {
        guard let text = optionalString(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        note("expected one of \(choices)", member: name)
        return nil
    }

    mutating func viewController(_ name: String) -> ViewController.ID {
        viewControllerID(string(name), member: name)
    }

    /// Converts a text to the id of a view controller. Records a problem if the text does not have
    /// the form of such an id (`vc1`).
    /// - Parameter name: the member with the text; nil if the text comes from the path of the
    ///   request.
    /// - Returns: a placeholder with the number 0 if the text does not have the form of an id.
    mutating func viewControllerID(_ text: String, member name: String?) -> ViewController.ID {
        if let id = ViewController.ID(text) { return id }
        note(
            .viewControllerNotFound, "no live view controller has the id \(text)", member: name)
        return ViewController.ID(number: 0)
    }

    mutating func link(_ name: String) -> Link {
        let path = string(name)
        do throws(RequestTargetError) {
            let target = try RequestTarget(path)
            guard target.path == path, path != "*" else {
                note(.malformedLink, "\(path): expected a path without a query", member: name)
                return Link(path: path, segments: [])
            }
            return Link(path: path, segments: target.segments)
        } catch {
            note(.malformedLink, "\(path): \(error)", member: name)
            return Link(path: path, segments: [])
        }
    }

    /// Records a defect unless exactly one of the members `one` and `other` is present.
    /// - Returns: the name of the member that is present; `one` if neither or both are.
    mutating func exactlyOne(of one: String, _ other: String) -> String {
        expect(one)
        expect(other)
        if has(one) == has(other) {
            note("expected either \(one) or \(other)\(has(one) ? ", not both" : "")")
        }
        return has(other) && !has(one) ? other : one
    }
}

/// The body of a batch request, which performs several operations in one transition:
/// `{operations: [{op: "push", …}, …], animated?}`. The member `animated` is optional.
struct Batch {
    static let maximumOperations = 1000

    let operations: [Operation]
    let animated: Bool

    init(_ body: inout BodyReader) {
        var lastAnimated: Bool?
        operations = body.array("operations", atMost: Self.maximumOperations) { reader in
            let operation = Self.operation(&reader)
            lastAnimated = reader.optionalBoolean("animated") ?? lastAnimated
            return operation
        }
        // A batch is one transition. If the batch itself has no `animated`, the last operation
        // that has this member decides.
        animated = body.optionalBoolean("animated") ?? lastAnimated ?? false
    }

    private static let names =
        NavigationOperation.allCases.map(\.rawValue).joined(separator: ", ")

    private static func operation(_ reader: inout BodyReader) -> Operation {
        let isNamed = reader.has("op")
        guard let operation = NavigationOperation(rawValue: reader.string("op")) else {
            // A missing or ill-typed name is already recorded.
            if isNamed { reader.note("unknown operation; expected \(names)", member: "op") }
            reader.ignoreOthers()
            return .pop
        }
        return operation.decode(&reader)
    }
}

extension BodyReader {
    /// Reads the changes to a view controller as a merge patch (RFC 7396): an absent member leaves
    /// the property unchanged, and `null` removes a text. For `bottomBarText`, `null` restores the
    /// text of the scene.
    mutating func update(of id: ViewController.ID) -> Operation {
        var item = NavigationItemChanges()
        let title = nullableString("title")
        nested("navigationItem") { reader in
            item.title = reader.nullableString("title")
            item.backButtonTitle = reader.nullableString("backButtonTitle")
            item.hidesBackButton = reader.optionalBoolean("hidesBackButton")
            item.leftItems = reader.optionalStrings("leftItems")
            item.leftItemsSupplementBackButton = reader.optionalBoolean(
                "leftItemsSupplementBackButton")
            item.rightItems = reader.optionalStrings("rightItems")
        }
        var tabBarItem = TabBarItemChanges()
        nested("tabBarItem") { reader in
            tabBarItem.title = reader.nullableString("title")
            tabBarItem.badge = reader.nullableString("badge")
        }
        let changes = ViewControllerChanges(
            title: title, navigationItem: item,
            hidesBottomBarWhenPushed: optionalBoolean("hidesBottomBarWhenPushed"),
            bottomBarText: nullableString("bottomBarText"),
            toolbarItems: optionalStrings("toolbarItems"),
            isModalInPresentation: optionalBoolean("isModalInPresentation"),
            tabBarItem: tabBarItem)
        let parameters = strings("parameters")
        return .update(id, changes, parameters: has("parameters") ? parameters : nil)
    }
}
