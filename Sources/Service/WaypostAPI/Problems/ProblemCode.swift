import HTTPCore
import NavigationRules

/// The code of a problem, with its status. The codes of the navigation rules are those of
/// `NavigationError.Code`, and all others those of `Problem.Kind`.
package struct ProblemCode: Sendable, Hashable {
    package let code: String
    package let status: Status

    init(_ kind: Problem.Kind) { (code, status) = (kind.rawValue, kind.status) }
    init(_ refusal: NavigationError.Code) { (code, status) = (refusal.rawValue, refusal.status) }

    /// All codes, in the order of `docs/problems.md`.
    package static let all: [ProblemCode] =
        Problem.Kind.allCases.map { ProblemCode($0) }
        + NavigationError.Code.allCases.filter { $0 != .invalidBody }.map { ProblemCode($0) }
}

extension NavigationError.Code {
    /// The status of the response for a refusal.
    var status: Status {
        switch self {
        case .malformedLink:
            .badRequest
        case .loginRequired:
            .forbidden
        case .sceneNotFound, .viewControllerNotFound, .linkNotFound, .foreignLink,
            .navigationControllerNotFound, .segueNotFound, .tapNotFound, .flagNotFound:
            .notFound
        case .alreadyOnStack, .notOnStack, .stackTooDeep, .notSelectable, .noSegmentedControl,
            .noBackButton, .noNavigationController, .alreadyPresenting, .notOnScreen,
            .tooManyLayers, .notDismissible, .popRefused, .selectionRefused, .noTabBar,
            .tabBarHidden, .inMoreList, .segueNotExecutable, .ambiguousTap, .notAUserAction,
            .alreadyLoggedIn, .noLogin:
            .conflict
        case .invalidBody, .unsupportedViewController, .duplicateViewControllers, .emptyStack,
            .sessionTooLarge, .rowOutOfRange, .segmentOutOfRange, .tabOutOfRange, .tapOutOfRange:
            .unprocessableContent
        }
    }
}
