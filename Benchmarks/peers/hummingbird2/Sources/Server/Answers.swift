import Foundation
import Hummingbird

// The answers, member by member as Waypost's. Codable leaves out what is nil, so that what may be
// null is encoded by hand.

struct Scene {
    let name: String
    let title: String
    let kind = "table"
    let rows: Int
    let bottomBar: String?
    let isSegment: Bool
    let link: String?

    static let all = Dictionary(
        uniqueKeysWithValues: [
            Scene(
                name: "authors", title: "Authors", rows: 15, bottomBar: "15 authors",
                isSegment: true, link: "/authors"),
            Scene(
                name: "titles", title: "Titles", rows: 65, bottomBar: nil, isSegment: false,
                link: nil),
        ].map { ($0.name, $0) })
}

struct Titled: Encodable {
    let title: String
}

struct NavigationItem: Encodable {
    let title: String? = nil
    let backButtonTitle: String? = nil
    let hidesBackButton = false
    let leftItems: [String] = []
    let leftItemsSupplementBackButton = false
    let rightItems: [String] = []

    private enum CodingKeys: CodingKey {
        case title, backButtonTitle, hidesBackButton, leftItems, leftItemsSupplementBackButton
        case rightItems
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(backButtonTitle, forKey: .backButtonTitle)
        try container.encode(hidesBackButton, forKey: .hidesBackButton)
        try container.encode(leftItems, forKey: .leftItems)
        try container.encode(leftItemsSupplementBackButton, forKey: .leftItemsSupplementBackButton)
        try container.encode(rightItems, forKey: .rightItems)
    }
}

struct ViewController: Encodable {
    let id: String
    let scene: String
    let title: String
    let parameters: [String: String] = [:]
    let isViewLoaded = true
    let hidesBottomBarWhenPushed = false
    let navigationItem = NavigationItem()

    init(id: String, scene: Scene) {
        self.id = id
        self.scene = scene.name
        title = scene.title
    }
}

struct NavigationBar: Encodable {
    let title: String
    let titleView: String?
    let backButton: Titled?
    let leftItems: [String]
    let rightItems: [String]

    private enum CodingKeys: CodingKey {
        case title, titleView, backButton, leftItems, rightItems
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(titleView, forKey: .titleView)
        try container.encode(backButton, forKey: .backButton)
        try container.encode(leftItems, forKey: .leftItems)
        try container.encode(rightItems, forKey: .rightItems)
    }
}

struct SegmentedControl: Encodable {
    let selectedIndex = 0
    let segments = [
        Segment(title: "Authors", viewController: "vc1"), Segment(title: "Titles"),
    ]
}

struct Segment: Encodable {
    let title: String
    var viewController: String?

    private enum CodingKeys: CodingKey {
        case title, viewController
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(viewController, forKey: .viewController)
    }
}

struct BottomBar: Encodable {
    let text: String?
    let isHidden: Bool

    private enum CodingKeys: CodingKey {
        case text, isHidden
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(isHidden, forKey: .isHidden)
    }
}

struct Toolbar: Encodable {
    let items: [String] = []
    let isHidden = true
}

struct Screen: Encodable {
    let kind: String
    let numberOfRows: Int
}

struct Auth: Encodable {
    let state = "loggedIn"
    let username = "bench"
}

struct Window: Encodable {
    let root = "app"
}

struct SessionDescription: ResponseEncodable {
    let id: String
    let name: String? = nil
    let revision: Int
    let lifecycle = "forwarded"
    let createdAt: Date
    let expiresAt: Date
    let auth = Auth()
    let window = Window()
    let viewControllers: [ViewController]
    let navigationBar: NavigationBar
    let segmentedControl = SegmentedControl()
    let bottomBar: BottomBar
    let toolbar = Toolbar()
    let screen: Screen
    let tabBar: String? = nil
    let layers: String? = nil
    let flags: [String: Bool] = [:]
    let pending: String? = nil
    let pendingLink: String? = nil
    let link: String?

    private enum CodingKeys: CodingKey {
        case id, name, revision, lifecycle, createdAt, expiresAt, auth, window, viewControllers
        case navigationBar, segmentedControl, bottomBar, toolbar, screen
        case tabBar, layers, flags, pending, pendingLink, link
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(revision, forKey: .revision)
        try container.encode(lifecycle, forKey: .lifecycle)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(auth, forKey: .auth)
        try container.encode(window, forKey: .window)
        try container.encode(viewControllers, forKey: .viewControllers)
        try container.encode(navigationBar, forKey: .navigationBar)
        try container.encode(segmentedControl, forKey: .segmentedControl)
        try container.encode(bottomBar, forKey: .bottomBar)
        try container.encode(toolbar, forKey: .toolbar)
        try container.encode(screen, forKey: .screen)
        try container.encode(tabBar, forKey: .tabBar)
        try container.encode(layers, forKey: .layers)
        try container.encode(flags, forKey: .flags)
        try container.encode(pending, forKey: .pending)
        try container.encode(pendingLink, forKey: .pendingLink)
        try container.encode(link, forKey: .link)
    }
}

/// A session, and this once its token.
struct Opened: ResponseEncodable {
    let session: SessionDescription
    let token: String

    private enum CodingKeys: CodingKey {
        case token
    }

    func encode(to encoder: any Encoder) throws {
        try session.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(token, forKey: .token)
    }
}

enum Transition: String, Encodable {
    case push, pop, none
}

struct LifecycleEvent: Encodable {
    let seq: Int
    let revision: Int
    let event: String
    let viewController: String
    let scene: String
    let animated: Bool
}

struct Change: ResponseEncodable {
    let changed: Bool
    let transition: Transition
    let popped: [ViewController]
    let events: [LifecycleEvent]
    let session: SessionDescription
}
