import HTTPCore
import JSON
import NavigationRules

extension Problem {
    /// Creates the problem that reports an error of a navigation operation.
    /// - Parameter pointer: the JSON pointer to the operation in the body, such as `/operations/2`
    ///   in a batch; empty if the body itself is the operation.
    convenience init(_ error: NavigationError, at pointer: String = "") {
        switch error {
        case .inBatch(let index, let name, let error):
            self.init(error, at: "\(pointer)/operations/\(index)/\(name)")
        case .atEntry(let index, let error):
            self.init(error, at: "\(pointer)/viewControllers/\(index)")
        case .invalidParameters(let scene, let defects):
            self.init(
                .invalidBody,
                defects.map { defect in
                    Member(
                        pointer: "\(pointer)/parameters/\(JSONPointer.escaped(defect.name))",
                        detail: Self.detail(of: defect, scene: scene))
                })
        case .beyondLimit(let defect):
            let member = defect.member.map { "/" + JSONPointer.escaped($0) }.joined()
            self.init(
                .invalidBody,
                [Member(pointer: pointer + member, detail: Self.detail(of: defect.reason))])
        default:
            let kind = Kind(rawValue: error.code.rawValue) ?? .invalidBody
            let detail = Self.detail(of: error)
            let pointer = pointer + (Self.member(at: error).map { "/\($0)" } ?? "")
            self.init(
                kind, detail,
                members: pointer.isEmpty ? [] : [Member(pointer: pointer, detail: detail)],
                callbacks: error.callbacks)
        }
    }

    private static func detail(of defect: ParameterDefect, scene: String) -> String {
        switch defect.reason {
        case .missing: "missing: the scene \(scene) needs this parameter"
        case .unknown: "the scene \(scene) has no such parameter"
        case .dangling(let value): "nothing in the data has the id \(value)"
        }
    }

    private static func detail(of reason: LimitDefect.Reason) -> String {
        switch reason {
        case .textTooLong(let length, let maximum):
            "expected at most \(maximum) characters, found \(length)"
        case .tooManyItems(let count, let maximum):
            "expected at most \(maximum) items, found \(count)"
        }
    }

    /// Returns the name of the body member whose value caused the error; nil if the session's state
    /// caused the error.
    private static func member(at error: NavigationError) -> String? {
        switch error {
        case .sceneNotFound, .unsupportedViewController: "scene"
        case .emptyStack: "viewControllers"
        case .rowOutOfRange: "row"
        case .segmentOutOfRange, .tabOutOfRange, .tapOutOfRange: "index"
        case .segueNotFound: "identifier"
        case .flagNotFound(let name, _): "flags/\(JSONPointer.escaped(name))"
        case .navigationControllerNotFound: "navigationController"
        case .linkNotFound(let link), .foreignLink(let link, _), .malformedLink(let link, _):
            link.member
        case .alreadyOnStack: "viewController"
        default: nil
        }
    }

    private static func detail(of error: NavigationError) -> String {
        switch error {
        case .sceneNotFound(let name): "no scene is named \(name)"
        case .unsupportedViewController(let name):
            "\(name) is a container, which cannot be on a stack"
        case .viewControllerNotFound(let id):
            "no live view controller has the id \(id)"
        case .alreadyOnStack(let id): "\(id) is on the stack already"
        case .notOnStack(let id): "\(id) is alive but not on the stack"
        case .sceneNotBelowTop(let name):
            "no view controller of the scene \(name) is below the top"
        case .duplicateViewControllers(let id):
            "\(id) is listed twice"
        case .emptyStack: "a stack holds at least one view controller"
        case .stackTooDeep(let maximum):
            "a stack holds \(maximum) view controllers at most: pop some"
        case .tooManyViewControllers(let maximum):
            "all stacks of a session together hold \(maximum) view controllers at most: pop some"
        case .sessionTooLarge(let maximum):
            "the titles, items and parameters of a session take \(maximum) bytes at most: "
                + "shorten some, or pop view controllers"
        case .notSelectable(let scene): "\(scene) has no rows to select"
        case .rowOutOfRange(let row, let count):
            "there is no row \(row): \(rows(count))"
        case .noSegmentedControl:
            "the current root has no segmented control"
        case .segmentOutOfRange(let index, let count):
            "there is no segment \(index): the segments are 0 to \(count - 1)"
        case .noBackButton: "the navigation bar shows no back button"
        case .noNavigationController:
            "the view controller is not in a navigation controller: use present or show instead, "
                + "or name another navigationController"
        case .navigationControllerNotFound(let id):
            "no navigation controller has the id \(id)"
        case .alreadyPresenting(let id):
            "another layer is above the layer of \(id): dismiss the upper layer, or present from "
                + "the visible view controller"
        case .notOnScreen(let id):
            "\(id) is not on screen: only a view controller on screen can do this"
        case .tooManyLayers(let maximum):
            "a window has \(maximum) layers at most: dismiss some"
        case .notDismissible:
            "the user cannot swipe the top layer down: its style or isModalInPresentation "
                + "forbids the swipe; use the operation \(Dismiss.name)"
        case .inRootLayer(let id):
            "the segue dismisses the layer of \(id), which is the root layer: nothing presented it"
        case .dismissalRefused:
            "the app does not let the user swipe the top layer down (isModalInPresentation); use "
                + "the operation \(Dismiss.name)"
        case .popRefused(let id):
            "the app does not let the user pop \(id) (shouldPop); use the operation \(Pop.name)"
        case .selectionRefused(let index):
            "the app does not let the user select the tab \(index) (shouldSelect); use the "
                + "operation \(SelectTab.name)"
        case .noTabBar: "no layer has a tab bar"
        case .tabOutOfRange(let index, let count):
            "there is no tab \(index): the tabs are 0 to \(count - 1)"
        case .tabBarHidden:
            "the tab bar cannot be tapped: it is hidden, or a layer is above it; use the "
                + "operation \(SelectTab.name)"
        case .inMoreList(let index):
            "the tab \(index) is in UIKit's More list, because a phone shows \(TabBar.maximumItems) "
                + "items at most: no tap on the tab bar reaches it in a strict session"
        case .segueNotFound(let identifier, let scene):
            "\(scene) has no segue with the identifier \(identifier)"
        case .segueNotExecutable(let identifier):
            "the segue \(identifier) is custom: the service does not have the class of the app "
                + "that performs the segue"
        case .tapNotFound(let title, let nearest, let count):
            "nothing with the title \(title) can be tapped"
                + (nearest.isEmpty
                    ? "; GET screen lists all \(count) taps"
                    : "; did you mean \(nearest.joined(separator: ", "))?")
        case .tapOutOfRange(let index, let place, let indices):
            detail(ofTap: index, in: place, indices)
        case .ambiguousTap(let title, let places):
            "\(title) can be tapped at \(places.joined(separator: ", ")): send place and index "
                + "instead of the title"
        case .flagNotFound(let name, let nearest):
            "the storyboard has no flag \(name)"
                + (nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: ", "))?")
        case .notAUserAction(let name):
            "the session is strict, and a user cannot do \(name) here: use tap, or a tap that "
                + "GET screen lists"
        case .noFormToSubmit(let submission, let forms):
            "the session is strict, and the visible scene submits no \(submission.rawValue): "
                + (forms.isEmpty
                    ? "no scene of the app does" : "show \(forms.joined(separator: " or "))")
        case .linkNotFound(let link): "no scene is at \(link.text)"
        case .foreignLink(let link, let settings):
            "\(link.text) belongs to another app: this app opens \(settings.summary)"
        case .malformedLink(let link, let error): "\(link.text.prefix(256)): \(error)"
        case .loginRequired(let scene):
            "only users who are logged in can see \(scene): log in or sign up"
        case .alreadyLoggedIn: "a user is logged in: log out first"
        case .noLogin: "this app has no login"
        case .invalidParameters, .beyondLimit, .atEntry, .inBatch:
            "the body is invalid"
        }
    }

    private static func detail(ofTap index: Int, in place: Tap.Place, _ indices: [Int]) -> String {
        guard let last = indices.last else { return "the screen has no \(place.name) to tap" }
        let missing = "there is no \(place.name) \(index) to tap"
        guard indices.count > 1 else {
            return "\(missing): the only \(place.name) to tap is \(last)"
        }
        // Rows without an action cannot be tapped, so the indices can have gaps.
        return indices.count == last + 1
            ? "\(missing): the \(place.name)s to tap are 0 to \(last)"
            : "\(missing): the screen has \(indices.count) \(place.name)s to tap, from "
                + "\(indices[0]) to \(last); GET screen lists them"
    }

    private static func rows(_ count: Int) -> String {
        switch count {
        case 0: "the table is empty"
        case 1: "the only row is 0"
        default: "the rows are 0 to \(count - 1)"
        }
    }
}

extension Tap.Place {
    /// The place in words, such as "back button".
    fileprivate var name: String {
        switch self {
        case .leftItem: "left item"
        case .backButton: "back button"
        case .segment: "segment"
        case .rightItem: "right item"
        case .row: "row"
        case .accessory: "accessory button"
        case .button: "button"
        case .toolbarItem: "toolbar item"
        case .tab: "tab"
        }
    }
}
