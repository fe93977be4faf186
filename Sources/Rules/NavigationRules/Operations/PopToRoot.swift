/// Pops all view controllers above the root, as `popToRootViewController(animated:)` does.
public struct PopToRoot: StackOperation {
    public static let name = "pop-to-root"
    public static let summary = "Pops all view controllers above the root."
    public static let refusals: [NavigationError.Code] = [.navigationControllerNotFound]

    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitNavigationController(&visitor)
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        window.pop(at: try position(in: window), to: 0)
    }
}
