extension NavigationError {
    /// The reason in words, for people.
    public var detail: String {
        switch self {
        case .sceneNotFound(let name): "no scene is named \(name)"
        case .unsupportedViewController(let name):
            "\(name) is a container, which cannot be on a stack"
        case .viewControllerNotFound(let id, _):
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
        case .notSelectable(let scene, nil): "\(scene) has no rows to select"
        case .notSelectable(let scene, let row?):
            "the row \(row) of \(scene) has no effect, and cannot be selected"
        case .rowOutOfRange(let row, let count):
            "there is no row \(row): \(Self.rows(count))"
        case .noSegmentedControl:
            "the current root has no segmented control"
        case .segmentOutOfRange(let index, let count):
            "there is no segment \(index): the segments are 0 to \(count - 1)"
        case .noBackButton: "the navigation bar shows no back button"
        case .noNavigationController:
            "the view controller is not in a navigation controller: use present or show instead, "
                + "or name another navigationController"
        case .onlyScenesPresented(let id):
            "the visible view controller is not in a navigation controller, and show cannot present "
                + "\(id), which is live: send scene instead of viewController"
        case .navigationControllerNotFound(let id):
            "no navigation controller has the id \(id)"
        case .alreadyPresenting(let id):
            "another layer is above the layer of \(id): dismiss the upper layer, or present from "
                + "the visible view controller"
        case .notOnScreen(let id):
            "\(id) is not on screen: only a view controller on screen can do this"
        case .tooManyLayers(let maximum):
            "a window has \(maximum) layers at most: dismiss some"
        case .notDismissible(isRootLayer: true):
            "there is nothing to swipe down: the top layer is the root layer, which nothing presented"
        case .notDismissible(isRootLayer: false):
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
        case .tapNotFound(let title, let place, let elsewhere, let nearest, let count):
            "\(place.map { "no \($0.name)" } ?? "nothing") with the title \(title) can be tapped; "
                + (elsewhere.map { "the place \($0.rawValue) has this title" }
                    ?? (nearest.isEmpty
                        ? "GET screen lists all \(count) taps"
                        : "did you mean \(nearest.joined(separator: ", "))?"))
        case .tapOutOfRange(let index, let place, let indices):
            Self.detail(ofTap: index, in: place, indices)
        case .ambiguousTap(let title, let places):
            "\(title) can be tapped at \(places.joined(separator: ", ")): send place and index "
                + "instead of the title"
        case .flagNotFound(Flags.loggedIn, _):
            "the flag \(Flags.loggedIn) follows the log-in and the log-out, and cannot be set"
        case .flagNotFound(let name, let nearest):
            "the storyboard has no flag \(name)"
                + (nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: ", "))?")
        case .notAUserAction(let name):
            "the session is strict, and a user cannot do \(name) here: use a tap that GET screen "
                + "lists, or back, swipe-back, swipe-down, open, log-in or log-out"
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
        case .invalidParameters(let scene, let defects):
            defects.map { "\($0.name): \($0.detail(inScene: scene))" }.joined(separator: "; ")
        case .beyondLimit(let defect):
            (defect.member.map { $0 + ": " } + [defect.reason.detail]).joined()
        case .atEntry(let index, let error): "entry \(index): \(error.detail)"
        case .inSegue(let identifier, let error): "segue \(identifier): \(error.detail)"
        case .inBatch(let index, let name, let error):
            "operation \(index), \(name): \(error.detail)"
        }
    }

    private static func detail(ofTap index: Int, in place: Tap.Place, _ indices: [Int]) -> String {
        guard let last = indices.last else { return "the screen has no \(place.name) to tap" }
        let missing = "there is no \(place.name) \(index) to tap"
        guard indices.count > 1 else {
            return "\(missing): the only \(place.name) to tap is \(last)"
        }
        // Rows without an action cannot be tapped, so the indices can have gaps.
        if indices.count == last + 1 {
            return "\(missing): the \(place.name)s to tap are 0 to \(last)"
        }
        let first = indices.prefix(10).map(String.init).joined(separator: ", ")
        return "\(missing): the \(place.name)s to tap are \(first)"
            + (indices.count > 10 ? ", …; GET screen lists them" : "")
    }

    private static func rows(_ count: Int) -> String {
        switch count {
        case 0: "the table is empty"
        case 1: "the only row is 0"
        default: "the rows are 0 to \(count - 1)"
        }
    }
}

extension ParameterDefect {
    /// The reason in words, for people.
    /// - Parameter scene: the name of the scene with the parameter.
    public func detail(inScene scene: String) -> String {
        switch reason {
        case .missing: "missing: the scene \(scene) needs this parameter"
        case .unknown: "the scene \(scene) has no such parameter"
        case .dangling(let value): "nothing in the data has the id \(value)"
        }
    }
}

extension LimitDefect.Reason {
    /// The reason in words, for people.
    public var detail: String {
        switch self {
        case .textTooLong(let length, let maximum):
            "expected at most \(maximum) characters, found \(length)"
        case .tooManyItems(let count, let maximum):
            "expected at most \(maximum) items, found \(count)"
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
