/// The reason why an operation was refused. A refused operation leaves the window unchanged,
/// including the revision and the numbering of events.
public indirect enum NavigationError: Error, Sendable, Equatable {
    case sceneNotFound(Scene.Name)
    case unsupportedViewController(Scene.Name)
    case invalidParameters(Scene.Name, [ParameterDefect])
    /// - Parameter member: the name of the request's member with the id; nil if the id is not in the
    ///   body.
    case viewControllerNotFound(ViewController.ID, member: String?)
    case alreadyOnStack(ViewController.ID)
    case notOnStack(ViewController.ID)
    case sceneNotBelowTop(Scene.Name)
    case duplicateViewControllers(ViewController.ID)
    case emptyStack
    case stackTooDeep(maximum: Int)
    /// The session would have more than the maximum number of view controllers on all its stacks
    /// together.
    case tooManyViewControllers(maximum: Int)
    /// A text is too long, or a list has too many items.
    case beyondLimit(LimitDefect)
    /// The texts of the session together would exceed the maximum number of bytes.
    case sessionTooLarge(maximum: Int)
    /// The scene has no rows that can be selected or, if the value has a row, it cannot be selected.
    case notSelectable(Scene.Name, row: Int?)
    case rowOutOfRange(row: Int, count: Int)
    case noSegmentedControl
    case segmentOutOfRange(Int, count: Int)
    case noBackButton
    /// The operation requires a navigation controller, but acts on a view controller that is in no
    /// navigation controller.
    case noNavigationController
    /// The operation would have to present the live view controller with this id, because the visible
    /// one is in no navigation controller. Only new view controllers are presented.
    case onlyScenesPresented(ViewController.ID)
    case navigationControllerNotFound(NavigationController.ID)
    /// The view controller cannot present a layer, because a layer above its own is already
    /// presented.
    case alreadyPresenting(ViewController.ID)
    case notOnScreen(ViewController.ID)
    case tooManyLayers(maximum: Int)
    /// The user cannot dismiss the top layer with a swipe.
    case notDismissible(isRootLayer: Bool)
    /// The segue dismisses the layer of the view controller with this id, which is in the root
    /// layer.
    case inRootLayer(ViewController.ID)
    /// The app refuses the swipe with which the user wants to dismiss the top layer.
    case dismissalRefused
    /// The app refuses that the user pops this view controller.
    case popRefused(ViewController.ID)
    /// The app refuses that the user selects the tab with this index.
    case selectionRefused(Int)
    case noTabBar
    case tabOutOfRange(Int, count: Int)
    /// The user cannot tap the tab bar, because a presented layer lies above it or a view
    /// controller on the selected stack hides it.
    case tabBarHidden
    /// The tab with this index is behind the item More of a phone's tab bar, and the session is
    /// strict.
    case inMoreList(Int)
    case segueNotFound(String, in: Scene.Name)
    /// The segue with this identifier, which follows a tap or a gesture, cannot make its view
    /// controller. No member of the request is at fault.
    case inSegue(String, NavigationError)
    /// The segue with this identifier is a custom segue, which the service cannot perform.
    case segueNotExecutable(String)
    /// No tappable control in the place that the client gave has the title that it gave; without a
    /// place, none on the screen. `elsewhere` is another place with a control of this title. `nearest`
    /// lists the most similar titles. `count` is the number of all tappable controls on the screen.
    case tapNotFound(
        String, in: Tap.Place?, elsewhere: Tap.Place?, nearest: [String], count: Int)
    /// No tappable control in `place` has the index that the client gave. `indices` lists the
    /// indices of the controls that are there, in order.
    case tapOutOfRange(Int, in: Tap.Place, indices: [Int])
    /// Several controls have this title. The list identifies each control by its place and index,
    /// such as `row 3`.
    case ambiguousTap(String, [String])
    /// The storyboard has no flag with this name. `nearest` lists the most similar names.
    case flagNotFound(String, nearest: [String])
    /// The session is strict: it accepts only operations that a user of the app can perform. This
    /// operation is not one of them. The value is the name of the operation.
    case notAUserAction(String)
    /// The session is strict, and the visible scene is no form that a user can submit to log in or
    /// to sign up. The second value lists the scenes that are.
    case noFormToSubmit(Scene.Submission, [Scene.Name])
    /// The app has no scene for the link.
    case linkNotFound(Link)
    /// The link is a URL of another app. The settings list the URLs that the app opens.
    case foreignLink(Link, LinkSettings)
    case malformedLink(Link, LinkError)
    /// The scene can be shown only after a log-in, and no user is logged in. A guest who wants to
    /// see it is asked to log in instead; this is the refusal of a program's operation.
    case loginRequired(Scene.Name)
    /// A user is logged in, but the operation is a log-in or shows a scene that can be shown only
    /// before the log-in.
    case alreadyLoggedIn
    /// The operation is a log-in or log-out, but the storyboard has no login scene.
    case noLogin
    /// An entry in the list of `SetViewControllers` is invalid. The values are the index of the
    /// entry and the reason.
    case atEntry(Int, NavigationError)
    /// An operation in a batch was refused. The values are the index of the operation in the batch,
    /// its name and the reason.
    case inBatch(Int, String, NavigationError)
}

/// A missing, unknown or invalid parameter in a request for a view controller.
public struct ParameterDefect: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case missing
        /// The scene declares no parameter with this name.
        case unknown
        /// The value of the parameter is an id for which the app has no data. The associated value
        /// is this id.
        case dangling(String)
    }

    public let name: String
    public let reason: Reason
}
