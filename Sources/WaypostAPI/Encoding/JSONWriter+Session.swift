import Accounts
import JSON
import Navigation
import Sessions
import WaypostCore

extension JSONWriter {
    mutating func session(_ session: SessionSnapshot, _ texts: JSONFragments, token: String? = nil)
    {
        let window = session.window
        object { json in
            json.member("id", session.id)
            if let token { json.member("token", token) }
            json.member("revision", window.revision)
            json.member("lifecycle", window.lifecycle.rawValue)
            json.member("createdAt", session.createdAt)
            json.member("expiresAt", session.expiresAt)
            json.name("auth")
            json.auth(window.auth, session.credentialRefusal)
            json.name("window")
            json.object { $0.member("root", window.root.rawValue) }
            json.name("viewControllers")
            json.viewControllers(window.viewControllers, texts)
            json.top(of: window, texts)
            json.member("pendingLink", window.pendingLink?.path)
        }
    }

    private mutating func auth(_ auth: Auth, _ refusal: CredentialRefusal?) {
        object { json in
            switch auth {
            case .loggedOut:
                json.member("state", text: "loggedOut")
                json.member("username", nil)
                if let refusal { json.member("reason", refusal.rawValue) }
            case .loggedIn(let username):
                json.member("state", text: "loggedIn")
                json.member("username", username)
            }
        }
    }

    mutating func viewControllers(
        _ viewControllers: some Sequence<ViewController>, _ texts: JSONFragments
    ) {
        array(viewControllers) { json, viewController in
            let known = texts.texts(of: viewController)
            json.object { json in
                json.member("id", "vc", viewController.id.number)
                if let known {
                    json.members(known.scene)
                    json.member("isViewLoaded", viewController.isViewLoaded)
                    json.members(known.bars)
                } else {
                    json.sceneMembers(of: viewController)
                    json.member("isViewLoaded", viewController.isViewLoaded)
                    json.barMembers(of: viewController)
                }
            }
        }
    }

    mutating func sceneMembers(of viewController: ViewController) {
        member("scene", viewController.scene.name)
        member("title", viewController.title)
        parameters(viewController.parameters)
    }

    /// Writes the view controller's settings for the bars.
    mutating func barMembers(of viewController: ViewController) {
        if viewController.isPlain {
            // Nearly all view controllers are plain; one copy replaces eight members.
            members(Self.plainMembers)
        } else {
            member("hidesBottomBarWhenPushed", viewController.hidesBottomBarWhenPushed)
            name("navigationItem")
            navigationItem(viewController.navigationItem)
            if let text = viewController.bottomBarTextOverride { member("bottomBarText", text) }
            if !viewController.toolbarItems.isEmpty {
                member("toolbarItems", viewController.toolbarItems)
            }
        }
    }

    /// The bar members of an unmodified view controller whose scene has no settings for the bars.
    private static var plainMembers: StaticString {
        #"""
        "hidesBottomBarWhenPushed":false,"navigationItem":{"title":null,"backButtonTitle":null,\#
        "hidesBackButton":false,"leftItems":[],"leftItemsSupplementBackButton":false,\#
        "rightItems":[]}
        """#
    }

    mutating func navigationItem(_ item: NavigationItem) {
        object { json in
            json.member("title", item.title)
            json.member("backButtonTitle", item.backButtonTitle)
            json.member("hidesBackButton", item.hidesBackButton)
            json.member("leftItems", item.leftItems)
            json.member("leftItemsSupplementBackButton", item.leftItemsSupplementBackButton)
            json.member("rightItems", item.rightItems)
        }
    }

    /// Writes the members that depend on the top view controller and its place on the stack.
    private mutating func top(of window: Window, _ texts: JSONFragments) {
        let top = window.topViewController
        let known = texts.texts(of: top)
        name("navigationBar")
        object { json in
            if let known { json.members(known.barTitle) } else { json.barTitle(of: top) }
            json.member("titleView", window.titleView?.rawValue)
            json.name("backButton")
            if let backButton = window.backButton {
                json.object { $0.member("title", backButton.title) }
            } else {
                json.null()
            }
            if let known { json.members(known.barItems) } else { json.barItems(of: top) }
        }
        name("segmentedControl")
        if let segments = window.segments {
            segmentedControl(segments, of: window, texts)
        } else {
            null()
        }
        if let known { members(known.content) } else { contentMembers(of: top) }
    }

    /// Writes the segmented control. A segment without a title in the storyboard has the title of
    /// its root.
    private mutating func segmentedControl(
        _ segments: Segments, of window: Window, _ texts: JSONFragments
    ) {
        object { json in
            json.member("selectedIndex", segments.selectedIndex)
            json.name("segments")
            json.array(texts.segments.indices) { json, index in
                let root = segments.root(of: index)
                json.object { json in
                    if let title = texts.segments[index] {
                        json.members(title)
                    } else {
                        let root = root.flatMap(window.liveViewController)
                        json.member("title", root.map(\.title) ?? texts.roots[index])
                    }
                    if let root {
                        json.member("viewController", "vc", root.number)
                    } else {
                        json.member("viewController", nil)
                    }
                }
            }
        }
    }

    mutating func barTitle(of top: ViewController) {
        member("title", top.effectiveTitle)
    }

    mutating func barItems(of top: ViewController) {
        let item = top.navigationItem
        member("leftItems", item.leftItems)
        member("rightItems", item.rightItems)
    }

    /// Writes the screen, which the app shows below the navigation bar.
    mutating func contentMembers(of top: ViewController) {
        name("bottomBar")
        object { json in
            let bar = top.bottomBar
            json.member("text", bar.text)
            json.member("isHidden", bar.isHidden)
        }
        name("toolbar")
        object { json in
            let toolbar = top.toolbar
            json.member("items", toolbar.items)
            json.member("isHidden", toolbar.isHidden)
        }
        name("screen")
        object { $0.screenMembers(top.screen) }
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ id: SessionID) {
        self.name(name)
        string(ofASCII: SessionID.length) { id.write(into: $0) }
    }

    mutating func member(_ name: StaticString, _ time: Timestamp) {
        guard time.isInForm else { return member(name, time.description) }
        self.name(name)
        string(ofASCII: Timestamp.length) { time.write(into: $0) }
    }
}
