/// The reason why an operation was refused. The window is then unchanged, including its revision
/// and its event numbers.
public indirect enum NavigationError: Error, Sendable, Equatable {
    case sceneNotFound(Scene.Name)
    case unsupportedViewController(Scene.Name)
    case invalidParameters(Scene.Name, [ParameterDefect])
    case viewControllerNotFound(ViewController.ID)
    case alreadyOnStack(ViewController.ID)
    case notOnStack(ViewController.ID)
    case sceneNotBelowTop(Scene.Name)
    case duplicateViewControllers(ViewController.ID)
    case emptyStack
    case stackTooDeep(maximum: Int)
    /// All stacks of the session together exceed the limit of view controllers.
    case tooManyViewControllers(maximum: Int)
    /// A text or a list of items exceeds a limit of the service.
    case beyondLimit(LimitDefect)
    /// All texts of the session together exceed the limit of the service, in bytes.
    case sessionTooLarge(maximum: Int)
    case notSelectable(Scene.Name)
    case rowOutOfRange(row: Int, count: Int)
    case noSegmentedControl
    case segmentOutOfRange(Int, count: Int)
    case noBackButton
    /// The operation needs a navigation controller, but the view controller on which it acts is in
    /// none.
    case noNavigationController
    case navigationControllerNotFound(NavigationController.ID)
    /// The view controller cannot present, because its layer has another layer above it.
    case alreadyPresenting(ViewController.ID)
    case notOnScreen(ViewController.ID)
    case tooManyLayers(maximum: Int)
    /// The user cannot dismiss the top layer with a gesture.
    case notDismissible
    case noTabBar
    case tabOutOfRange(Int, count: Int)
    /// A layer lies above the tab bar, or a view controller of the selected stack hides it.
    case tabBarHidden
    case segueNotFound(String, in: Scene.Name)
    /// The segue is of a kind that the service cannot perform.
    case segueNotExecutable(String)
    /// No control that can be tapped has this title or index. `nearest` has the most similar
    /// titles. `count` is the number of controls that can be tapped in the given place, or on the
    /// whole screen if no place is given.
    case tapNotFound(String, nearest: [String], count: Int)
    /// Several controls have this title. The list has the place and index of each control, such as
    /// `row 3`.
    case ambiguousTap(String, [String])
    /// The session is strict, and a user cannot do this operation.
    case notAUserAction(String)
    case linkNotFound(String)
    /// The scene belongs to the app root, and the user is not logged in.
    case loginRequired(Scene.Name)
    /// The operation is a log-in or names a scene of the login root, but a user is logged in.
    case alreadyLoggedIn
    /// The operation is a log-in or log-out, but the app has no login.
    case noLogin
    /// An entry of `setViewControllers` is invalid, for the reason of the nested error.
    case atEntry(Int, NavigationError)
    /// An operation of a batch is refused, for the reason of the nested error.
    case inBatch(Int, NavigationError)
}

/// A defect of one parameter for a new view controller.
public struct ParameterDefect: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case missing
        /// The scene has no parameter of this name.
        case unknown
        /// No data of the app has this id.
        case dangling(String)
    }

    public let name: String
    public let reason: Reason
}
