import Accounts
import JSON
import Navigation
import Sessions

extension JSONWriter {
    mutating func session(_ session: SessionRecord, in app: App, token: String? = nil) {
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
            json.viewControllers(window.viewControllers)
            json.name("navigationBar")
            json.navigationBar(window.navigationBar)
            json.name("segmentedControl")
            json.segmentedControl(window.segments, app.storyboard.segments)
            json.name("bottomBar")
            json.object { json in
                json.member("text", window.bottomBar.text)
                json.member("isHidden", window.bottomBar.isHidden)
            }
            json.name("screen")
            json.object { $0.screenMembers(window.screen(in: app)) }
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

    mutating func viewControllers(_ viewControllers: some Sequence<ViewController>) {
        array(viewControllers) { $0.viewController($1) }
    }

    mutating func viewController(_ viewController: ViewController) {
        object { json in
            json.member("id", "vc", viewController.id.number)
            json.member("scene", viewController.scene.name)
            json.member("title", viewController.title)
            json.name("parameters")
            json.object { json in
                let parameters = viewController.parameters
                for (name, value) in zip(parameters.names, parameters.values) {
                    json.name(escaping: name)
                    json.string(value)
                }
            }
            json.member("isViewLoaded", viewController.isViewLoaded)
            if viewController.isPlain {
                // Nearly all are: one copy instead of eight members.
                json.members(Self.plainMembers)
            } else {
                json.member("hidesBottomBarWhenPushed", viewController.hidesBottomBarWhenPushed)
                json.name("navigationItem")
                json.navigationItem(viewController.navigationItem)
            }
        }
    }

    /// What a view controller has whose scene says nothing of the bars, and that nobody has changed.
    private static var plainMembers: StaticString {
        #"""
        "hidesBottomBarWhenPushed":false,"navigationItem":{"title":null,"backButtonTitle":null,\#
        "hidesBackButton":false,"leftItems":[],"leftItemsSupplementBackButton":false,\#
        "rightItems":[]}
        """#
    }

    private mutating func navigationItem(_ item: NavigationItem) {
        object { json in
            json.member("title", item.title)
            json.member("backButtonTitle", item.backButtonTitle)
            json.member("hidesBackButton", item.hidesBackButton)
            json.member("leftItems", item.leftItems)
            json.member("leftItemsSupplementBackButton", item.leftItemsSupplementBackButton)
            json.member("rightItems", item.rightItems)
        }
    }

    private mutating func navigationBar(_ bar: NavigationBar) {
        object { json in
            json.member("title", bar.title)
            json.member("titleView", bar.titleView?.rawValue)
            json.name("backButton")
            if let backButton = bar.backButton {
                json.object { $0.member("title", backButton.title) }
            } else {
                json.null()
            }
            json.member("leftItems", bar.leftItems)
            json.member("rightItems", bar.rightItems)
        }
    }

    private mutating func segmentedControl(
        _ segments: Segments?, _ items: [Storyboard.Segment]
    ) {
        guard let segments else { return null() }
        object { json in
            json.member("selectedIndex", segments.selectedIndex)
            json.name("segments")
            json.array(items) { json, item in
                json.object { $0.member("title", item.title) }
            }
        }
    }
}
