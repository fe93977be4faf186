extension NavigationError {
    /// The code of the problem with which the service reports an error. Several errors can have the
    /// same code.
    public enum Code: String, Sendable, CaseIterable {
        case sceneNotFound = "scene-not-found"
        case viewControllerNotFound = "view-controller-not-found"
        case linkNotFound = "link-not-found"
        case malformedLink = "malformed-link"
        case foreignLink = "foreign-link"
        case unsupportedViewController = "unsupported-view-controller"
        case invalidBody = "invalid-body"
        case duplicateViewControllers = "duplicate-view-controllers"
        case emptyStack = "empty-stack"
        case alreadyOnStack = "already-on-stack"
        case notOnStack = "not-on-stack"
        case stackTooDeep = "stack-too-deep"
        case sessionTooLarge = "session-too-large"
        case notSelectable = "not-selectable"
        case rowOutOfRange = "row-out-of-range"
        case noSegmentedControl = "no-segmented-control"
        case segmentOutOfRange = "segment-out-of-range"
        case noBackButton = "no-back-button"
        case noNavigationController = "no-navigation-controller"
        case navigationControllerNotFound = "navigation-controller-not-found"
        case alreadyPresenting = "already-presenting"
        case notOnScreen = "not-on-screen"
        case tooManyLayers = "too-many-layers"
        case notDismissible = "not-dismissible"
        case popRefused = "pop-refused"
        case selectionRefused = "selection-refused"
        case noTabBar = "no-tab-bar"
        case tabOutOfRange = "tab-out-of-range"
        case tabBarHidden = "tab-bar-hidden"
        case inMoreList = "in-more-list"
        case segueNotFound = "segue-not-found"
        case segueNotExecutable = "segue-not-executable"
        case tapNotFound = "tap-not-found"
        case tapOutOfRange = "tap-out-of-range"
        case ambiguousTap = "ambiguous-tap"
        case flagNotFound = "flag-not-found"
        case notAUserAction = "not-a-user-action"
        case loginRequired = "login-required"
        case alreadyLoggedIn = "already-logged-in"
        case noLogin = "no-login"
    }

    public var code: Code {
        switch self {
        case .sceneNotFound: .sceneNotFound
        case .unsupportedViewController: .unsupportedViewController
        case .invalidParameters, .beyondLimit: .invalidBody
        case .viewControllerNotFound: .viewControllerNotFound
        case .alreadyOnStack: .alreadyOnStack
        case .notOnStack, .sceneNotBelowTop: .notOnStack
        case .duplicateViewControllers: .duplicateViewControllers
        case .emptyStack: .emptyStack
        case .stackTooDeep, .tooManyViewControllers: .stackTooDeep
        case .sessionTooLarge: .sessionTooLarge
        case .notSelectable: .notSelectable
        case .rowOutOfRange: .rowOutOfRange
        case .noSegmentedControl: .noSegmentedControl
        case .segmentOutOfRange: .segmentOutOfRange
        case .noBackButton: .noBackButton
        case .noNavigationController, .onlyScenesPresented: .noNavigationController
        case .navigationControllerNotFound: .navigationControllerNotFound
        case .alreadyPresenting: .alreadyPresenting
        case .notOnScreen: .notOnScreen
        case .tooManyLayers: .tooManyLayers
        case .notDismissible, .dismissalRefused, .inRootLayer: .notDismissible
        case .popRefused: .popRefused
        case .selectionRefused: .selectionRefused
        case .noTabBar: .noTabBar
        case .tabOutOfRange: .tabOutOfRange
        case .tabBarHidden: .tabBarHidden
        case .inMoreList: .inMoreList
        case .segueNotFound: .segueNotFound
        case .segueNotExecutable: .segueNotExecutable
        case .tapNotFound: .tapNotFound
        case .tapOutOfRange: .tapOutOfRange
        case .ambiguousTap: .ambiguousTap
        case .flagNotFound: .flagNotFound
        case .notAUserAction, .noFormToSubmit: .notAUserAction
        case .linkNotFound: .linkNotFound
        case .foreignLink: .foreignLink
        case .malformedLink: .malformedLink
        case .loginRequired: .loginRequired
        case .alreadyLoggedIn: .alreadyLoggedIn
        case .noLogin: .noLogin
        case .atEntry(_, let error), .inSegue(_, let error), .inBatch(_, _, let error):
            error.code
        }
    }

    /// The callbacks with which UIKit tells the app of a gesture that the app refuses; empty for
    /// other errors.
    public var callbacks: [String] {
        switch self {
        case .dismissalRefused: ["presentationControllerDidAttemptToDismiss"]
        case .popRefused: ["navigationBar:shouldPopItem:"]
        case .selectionRefused: ["tabBarController:shouldSelect:"]
        default: []
        }
    }
}

extension [NavigationError.Code] {
    /// The refusals of a new view controller of a scene.
    static let newViewController: Self = [
        .sceneNotFound, .unsupportedViewController, .loginRequired, .alreadyLoggedIn,
    ]
    /// The refusals of operations that make a session larger.
    static let growth: Self = [.stackTooDeep, .sessionTooLarge]
    /// The refusals of operations that take the id of a navigation controller.
    static let navigationController: Self = [
        .noNavigationController, .navigationControllerNotFound,
    ]
    /// The refusals of operations that present a layer.
    static let presentation: Self = [
        .viewControllerNotFound, .alreadyPresenting, .notOnScreen, .tooManyLayers,
    ]
    /// The refusals of the segue that follows a refused gesture.
    static let whenRefused: Self = segue.filter { $0 != .viewControllerNotFound }
    /// The refusals of a segue, except for that of an unknown segue.
    static let segue: Self =
        newViewController + growth + presentation + [
            .noNavigationController, .notDismissible, .segueNotExecutable,
        ]
}
