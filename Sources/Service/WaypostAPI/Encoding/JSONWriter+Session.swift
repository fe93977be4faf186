import JSON
import NavigationRules
import Sessions
import WaypostCore

extension JSONWriter {
    /// Writes the state of a session as a JSON object.
    /// - Parameters:
    ///   - token: the session's token, for the response that opens the session; nil omits the
    ///     member `token`.
    ///   - layers: whether to write the member `layers`.
    mutating func session(
        _ session: SessionState, in app: App, token: String? = nil, layers: Bool = true
    ) {
        let window = session.window
        object { json in
            json.member("id", session.id)
            json.member("name", session.name)
            if let token { json.member("token", token) }
            json.member("revision", window.revision)
            json.member("lifecycle", window.lifecycle.rawValue)
            if window.isStrict { json.member("strict", true) }
            json.member("createdAt", session.createdAt)
            json.member("expiresAt", session.expiresAt)
            json.name("auth")
            json.auth(window.auth, session.credentialRefusal)
            json.object("window") { $0.member("root", window.root.rawValue) }
            json.name("viewControllers")
            json.viewControllers(window.viewControllers)
            json.top(of: window, in: app)
            json.name("tabBar")
            json.tabBar(window.tabBar)
            if layers { json.layers(of: window) }
            if window.flags.isEmpty {
                json.members(#""flags":{}"#)
            } else {
                json.name("flags")
                json.write(window.flags.values)
            }
            json.name("pending")
            json.pending(window.pending)
            json.member("pendingLink", window.pendingLink)
            json.member("link", window.link(in: app))
        }
    }

    private mutating func auth(_ auth: Auth, _ refusal: CredentialRefusal?) {
        object { json in
            switch auth {
            case .loggedOut, .guest:
                json.member("state", text: "loggedOut")
                json.member("username", nil)
                if let refusal { json.member("reason", refusal.rawValue) }
            case .loggedIn(let username):
                json.member("state", text: "loggedIn")
                json.member("username", username)
            }
        }
    }

    private mutating func pending(_ pending: PendingAction?) {
        guard let pending else { return null() }
        object { json in
            json.member("viewController", "vc", pending.viewController?.number)
            json.name("operation")
            pending.operation.write(animated: pending.animated, to: &json)
        }
    }

    mutating func viewControllers(_ viewControllers: some Sequence<ViewController>) {
        objects(viewControllers) { json, viewController in
            json.member("id", "vc", viewController.id.number)
            json.member("scene", viewController.scene.name)
            json.member("title", viewController.title)
            json.parameters(viewController.parameters)
            json.member("isViewLoaded", viewController.isViewLoaded)
            // Nearly all view controllers are plain. One copy is faster than writing eight members.
            guard !viewController.isPlain else { return json.members(Self.plainMembers) }
            json.member("hidesBottomBarWhenPushed", viewController.hidesBottomBarWhenPushed)
            json.name("navigationItem")
            json.navigationItem(viewController.navigationItem)
            if let text = viewController.bottomBarTextOverride {
                json.member("bottomBarText", text)
            }
            if !viewController.toolbarItems.isEmpty {
                json.member("toolbarItems", viewController.toolbarItems)
            }
        }
    }

    /// The JSON members for the bars of a plain view controller, that is, one with default settings
    /// for all bars.
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

    /// Writes the members for the bars and the screen, which depend on the top view controller and
    /// its position on the stack.
    private mutating func top(of window: Window, in app: App) {
        let top = window.topViewController
        name("navigationBar")
        if window.isBare { null() } else { navigationBar(of: window) }
        name("segmentedControl")
        if let segments = window.segments, window.isSingleStack {
            segmentedControl(segments, of: window, in: app)
        } else {
            null()
        }
        object("bottomBar") { json in
            let bar = top.bottomBar
            json.member("text", bar.text)
            json.member("isHidden", bar.isHidden)
        }
        object("toolbar") { json in
            let toolbar = window.toolbar
            json.member("items", toolbar.items)
            json.member("isHidden", toolbar.isHidden)
        }
        object("screen") { $0.screenMembers(window.screen) }
    }

    private mutating func navigationBar(of window: Window) {
        let top = window.topViewController
        object { json in
            json.member("title", top.effectiveTitle)
            json.member("titleView", window.titleView?.rawValue)
            json.name("backButton")
            if let backButton = window.backButton {
                json.object { $0.member("title", backButton.title) }
            } else {
                json.null()
            }
            json.member("leftItems", window.leftItems(of: top))
            json.member("rightItems", window.rightItems(of: top))
        }
    }

    /// Writes the segmented control. If the storyboard gives a segment no title, the title of the
    /// segment's root view controller is used.
    private mutating func segmentedControl(
        _ segments: Segments, of window: Window, in app: App
    ) {
        object { json in
            json.member("selectedIndex", segments.selectedIndex)
            json.objects("segments", app.storyboard.segments.indices) { json, index in
                json.member("title", window.segmentTitle(index, in: app))
                json.member("viewController", "vc", segments.root(of: index)?.number)
            }
        }
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
