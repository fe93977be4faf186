import NavigationRules

// The binary form of a `StoredWindow` in the histories of earlier versions.

extension ByteReader {
    /// Reads a window.
    /// - Throws: `DamagedBytes` if the bytes are not an encoded window, or if the decoded window is
    ///   not valid (`isSound`).
    mutating func window() throws -> StoredWindow {
        let lifecycle: LifecycleOrder = try flag() ? .native : .forwarded
        let isStrict = try flag()
        let revision = try number()
        let auth: Auth
        switch try byte() {
        case 0: auth = .loggedOut
        case 1: auth = .loggedIn(username: nil)
        case 2: auth = .loggedIn(username: try text())
        default: throw DamagedBytes()
        }
        let stack = try entries()
        let layers = try optional { try $0.array { try $0.layer() } }
        let window = StoredWindow(
            lifecycle: lifecycle, isStrict: isStrict, revision: revision, auth: auth,
            stack: stack, layers: layers, navigationController: try number(),
            lastNavigationController: try number(),
            segments: try optional { try $0.segments() },
            pending: try optional {
                let link = try $0.text()
                _ = try $0.texts()
                return PendingAction(link: link)
            },
            lastEvent: try number(), lastViewController: try number())
        guard window.isSound else { throw DamagedBytes() }
        return window
    }

    private mutating func segments() throws -> StoredWindow.SegmentRoots {
        let selected = try number()
        let roots = try array { try $0.optional { try $0.number() } }
        guard roots.indices.contains(selected) else { throw DamagedBytes() }
        return StoredWindow.SegmentRoots(
            selectedIndex: selected, roots: roots, kept: try entries())
    }

    private mutating func layer() throws -> StoredWindow.Layer {
        let style: PresentationStyle? = try optional { try $0.choice() }
        let presenter = try optional { try $0.number() }
        let isContainerModal = try flag()
        let tabBar = try optional { try $0.text() }
        let selected = try number()
        let holders = try array {
            StoredWindow.Holder(
                number: try $0.number(), isBare: try $0.flag(), stack: try $0.entries())
        }
        guard holders.indices.contains(selected) else { throw DamagedBytes() }
        return StoredWindow.Layer(
            presentationStyle: style, presenter: presenter, isContainerModal: isContainerModal,
            tabBar: tabBar, selectedIndex: selected, stacks: holders)
    }

    private mutating func entries() throws -> [StoredWindow.Entry] {
        try array { try $0.entry() }
    }

    private mutating func entry() throws -> StoredWindow.Entry {
        let number = try number()
        let scene = try text()
        let names = try texts()
        let values = try names.map { _ in try text() }
        return StoredWindow.Entry(
            number: number, scene: scene, parameters: Parameters(names: names, values: values),
            isViewLoaded: try flag(),
            changes: try optional { try $0.changes() } ?? ViewControllerChanges())
    }

    mutating func changes() throws -> ViewControllerChanges {
        var changes = ViewControllerChanges()
        while true {
            switch try byte() {
            case 0: return changes
            case 1: changes.title = .some(try nullableText())
            case 2: changes.hidesBottomBarWhenPushed = try flag()
            case 3: changes.isModalInPresentation = try flag()
            case 4: changes.tabBarItem.title = .some(try nullableText())
            case 5: changes.tabBarItem.badge = .some(try nullableText())
            case 6: changes.bottomBarText = .some(try nullableText())
            case 7: changes.toolbarItems = try texts()
            case 8: changes.navigationItem.title = .some(try nullableText())
            case 9: changes.navigationItem.backButtonTitle = .some(try nullableText())
            case 10: changes.navigationItem.hidesBackButton = try flag()
            case 11: changes.navigationItem.leftItems = try texts()
            case 12: changes.navigationItem.leftItemsSupplementBackButton = try flag()
            case 13: changes.navigationItem.rightItems = try texts()
            default: throw DamagedBytes()
            }
        }
    }

    private mutating func nullableText() throws -> String? {
        try optional { try $0.text() }
    }
}
