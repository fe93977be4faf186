/// Pops the top view controller, as `popViewController(animated:)` does. The root stays.
public struct Pop: StackOperation {
    public static let name = "pop"
    public static let summary = "Pops the top view controller. At the root, nothing happens."
    public static let refusals: [NavigationError.Code] = [.navigationControllerNotFound]

    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitNavigationController(&visitor)
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let position = try position(in: window)
        window.pop(at: position, to: max(window[position].viewControllers.count - 2, 0))
    }
}
