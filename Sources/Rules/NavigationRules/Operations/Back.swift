/// Taps the back button of the navigation bar, which pops the top view controller.
public struct Back: StackOperation {
    public static let name = "back"
    public static let summary = "Taps the back button of the navigation bar."
    public static let refusals: [NavigationError.Code] =
        .navigationController + [.noBackButton, .popRefused] + .whenRefused

    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitNavigationController(&visitor)
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let position = try position(in: window)
        guard try window.mayPop(at: position, in: app) else { return }
        window.pop(at: position, to: window[position].viewControllers.count - 2)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { navigationController == nil }
}
