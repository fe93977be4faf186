/// Replaces the stack, as `setViewControllers(_:animated:)` does.
public struct SetViewControllers: StackOperation {
    public static let name = "set-view-controllers"
    public static let summary = "Replaces the whole stack by existing and new view controllers."
    public static let isAnimatedByDefault = false
    public static let shortForm = ShortForm.list("viewControllers")
    public static let refusals: [NavigationError.Code] =
        .newViewController + .navigationController + .growth
        + [.viewControllerNotFound, .alreadyOnStack, .duplicateViewControllers, .emptyStack]

    /// An entry of the new stack.
    public struct Entry: ShowsViewController {

        public var scene: Scene.Name?
        public var parameters: [String: String]?
        public var viewController: ViewController.ID?

        public init() {}

        public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
            visitTarget(&visitor)
        }
    }

    public var viewControllers: [Entry] = []
    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "viewControllers",
            required: .list(of: "StackEntry", atMost: SizeLimits.viewControllers), &viewControllers,
            "The view controllers of the new stack, root first.")
        visitNavigationController(&visitor)
    }

    public init(_ targets: [Target]) { viewControllers = targets.map { Entry($0) } }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let position = try position(in: window)
        guard !viewControllers.isEmpty else { throw .emptyStack }
        try window.requireNavigationController(at: position)
        // The list can have thousands of entries. The dictionary avoids a search for each of them.
        let onStack = Dictionary(
            uniqueKeysWithValues: window[position].viewControllers.map { ($0.id, $0) })
        var seen: Set<ViewController.ID> = []
        var new: [ViewController] = []
        new.reserveCapacity(viewControllers.count)
        for (index, entry) in viewControllers.enumerated() {
            do throws(NavigationError) {
                let viewController =
                    if let id = entry.viewController, let present = onStack[id] {
                        present
                    } else {
                        try window.newcomer(for: entry.target, at: position, in: app)
                    }
                guard seen.insert(viewController.id).inserted else {
                    throw .duplicateViewControllers(viewController.id)
                }
                new.append(viewController)
            } catch {
                throw .atEntry(index, error)
            }
        }
        window.show(new, at: position)
    }
}
