/// Why an operation was refused. Stack, revision and event numbers are then as before.
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
    /// A text or a list of items is larger than the service allows.
    case beyondLimit(LimitDefect)
    /// All texts of the session together would be larger than the service allows, in bytes.
    case sessionTooLarge(maximum: Int)
    case notSelectable(Scene.Name)
    case rowOutOfRange(row: Int, count: Int)
    case noSegmentedControl
    case segmentOutOfRange(Int, count: Int)
    case noBackButton
    /// The visible view controller, or the holder that is named, is in no navigation controller.
    case noNavigationController
    case navigationControllerNotFound(NavigationController.ID)
    /// The view controller's layer has another one above it.
    case alreadyPresenting(ViewController.ID)
    case notOnScreen(ViewController.ID)
    case tooManyLayers(maximum: Int)
    /// The user's gesture does not dismiss the top layer.
    case notDismissible
    case noTabBar
    case tabOutOfRange(Int, count: Int)
    /// A layer lies above the tab bar, or a view controller of the selected stack hides it.
    case tabBarHidden
    case segueNotFound(String, in: Scene.Name)
    /// A segue of a kind that the service does not know how to perform.
    case segueNotExecutable(String)
    case linkNotFound(String)
    /// The scene belongs to the app root, and nobody is logged in.
    case loginRequired(Scene.Name)
    /// A log-in, or a scene of the login root, while somebody is logged in.
    case alreadyLoggedIn
    /// A log-in or log-out in an app without a login.
    case noLogin
    /// The entry of `setViewControllers` that is at fault.
    case atEntry(Int, NavigationError)
    /// The operation of a batch that is at fault.
    case inBatch(Int, NavigationError)
}

public struct ParameterDefect: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case missing
        /// The scene has no parameter of this name.
        case unknown
        /// Nothing in the catalog has this id.
        case dangling(String)
    }

    public let name: String
    public let reason: Reason
}
