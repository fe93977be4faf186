import Navigation

// The binary form of a `WindowArchive`, in the complete states of a journal.

extension ByteWriter {
    mutating func window(_ window: WindowArchive) {
        flag(window.lifecycle == .native)
        flag(window.isStrict)
        number(window.revision)
        switch window.auth {
        case .loggedOut: byte(0)
        case .loggedIn(nil): byte(1)
        case .loggedIn(let username?):
            byte(2)
            text(username)
        }
        array(window.stack) { $0.entry($1) }
        optional(window.layers) { $0.array($1) { $0.layer($1) } }
        number(window.navigationController)
        number(window.lastNavigationController)
        optional(window.segments) { writer, segments in
            writer.number(segments.selectedIndex)
            writer.array(segments.roots) { $0.optional($1) { $0.number($1) } }
            writer.array(segments.kept) { $0.entry($1) }
        }
        optional(window.pendingLink) { writer, link in
            writer.text(link.path)
            writer.texts(link.segments)
        }
        number(window.lastEvent)
        number(window.lastViewController)
    }

    private mutating func layer(_ layer: WindowArchive.Layer) {
        optional(layer.presentationStyle) { $0.text($1.rawValue) }
        optional(layer.presenter) { $0.number($1) }
        flag(layer.isContainerModal)
        optional(layer.tabBar) { $0.text($1) }
        number(layer.selectedIndex)
        array(layer.holders) { writer, holder in
            writer.number(holder.number)
            writer.flag(holder.isBare)
            writer.array(holder.stack) { $0.entry($1) }
        }
    }

    private mutating func entry(_ entry: WindowArchive.Entry) {
        number(entry.number)
        text(entry.scene)
        texts(entry.parameters.names)
        for value in entry.parameters.values { text(value) }
        flag(entry.isViewLoaded)
        optional(entry.changes == ViewControllerChanges() ? nil : entry.changes) { $0.changes($1) }
    }

    /// Writes the properties of `changes` that are set. A byte before each property identifies the
    /// property. A 0 byte follows the last property.
    mutating func changes(_ changes: ViewControllerChanges) {
        let item = changes.navigationItem
        nullable(1, changes.title)
        flag(2, changes.hidesBottomBarWhenPushed)
        flag(3, changes.isModalInPresentation)
        nullable(4, changes.tabBarItem.title)
        nullable(5, changes.tabBarItem.badge)
        nullable(6, changes.bottomBarText)
        texts(7, changes.toolbarItems)
        nullable(8, item.title)
        nullable(9, item.backButtonTitle)
        flag(10, item.hidesBackButton)
        texts(11, item.leftItems)
        flag(12, item.leftItemsSupplementBackButton)
        texts(13, item.rightItems)
        byte(0)
    }

    private mutating func nullable(_ number: UInt8, _ text: String??) {
        guard let text else { return }
        byte(number)
        optional(text) { $0.text($1) }
    }

    private mutating func flag(_ number: UInt8, _ flag: Bool?) {
        guard let flag else { return }
        byte(number)
        self.flag(flag)
    }

    private mutating func texts(_ number: UInt8, _ texts: [String]?) {
        guard let texts else { return }
        byte(number)
        self.texts(texts)
    }
}

extension ByteReader {
    /// Reads a window.
    /// - Throws: `DamagedBytes` if the bytes are not an encoded window, or if the decoded window is
    ///   not valid (`isSound`).
    mutating func window() throws(DamagedBytes) -> WindowArchive {
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
        let layers = try optional { reader throws(DamagedBytes) in
            try reader.array { reader throws(DamagedBytes) in try reader.layer() }
        }
        let window = WindowArchive(
            lifecycle: lifecycle, isStrict: isStrict, revision: revision, auth: auth,
            stack: stack, layers: layers, navigationController: try number(),
            lastNavigationController: try number(),
            segments: try optional { reader throws(DamagedBytes) in try reader.segments() },
            pendingLink: try optional { reader throws(DamagedBytes) in
                Link(path: try reader.text(), segments: try reader.texts())
            },
            lastEvent: try number(), lastViewController: try number())
        guard window.isSound else { throw DamagedBytes() }
        return window
    }

    private mutating func segments() throws(DamagedBytes) -> WindowArchive.SegmentRoots {
        let selected = try number()
        let roots = try array { reader throws(DamagedBytes) in
            try reader.optional { reader throws(DamagedBytes) in try reader.number() }
        }
        guard roots.indices.contains(selected) else { throw DamagedBytes() }
        return WindowArchive.SegmentRoots(
            selectedIndex: selected, roots: roots, kept: try entries())
    }

    private mutating func layer() throws(DamagedBytes) -> WindowArchive.Layer {
        let style: PresentationStyle? = try optional { reader throws(DamagedBytes) in
            try reader.choice()
        }
        let presenter = try optional { reader throws(DamagedBytes) in try reader.number() }
        let isContainerModal = try flag()
        let tabBar = try optional { reader throws(DamagedBytes) in try reader.text() }
        let selected = try number()
        let holders = try array { reader throws(DamagedBytes) in
            WindowArchive.Holder(
                number: try reader.number(), isBare: try reader.flag(),
                stack: try reader.entries())
        }
        guard holders.indices.contains(selected) else { throw DamagedBytes() }
        return WindowArchive.Layer(
            presentationStyle: style, presenter: presenter, isContainerModal: isContainerModal,
            tabBar: tabBar, selectedIndex: selected, holders: holders)
    }

    private mutating func entries() throws(DamagedBytes) -> [WindowArchive.Entry] {
        try array { reader throws(DamagedBytes) in try reader.entry() }
    }

    private mutating func entry() throws(DamagedBytes) -> WindowArchive.Entry {
        let number = try number()
        let scene = try text()
        let names = try texts()
        var values: [String] = []
        for _ in names { values.append(try text()) }
        return WindowArchive.Entry(
            number: number, scene: scene, parameters: Parameters(names: names, values: values),
            isViewLoaded: try flag(),
            changes: try optional { reader throws(DamagedBytes) in try reader.changes() }
                ?? ViewControllerChanges())
    }

    mutating func changes() throws(DamagedBytes) -> ViewControllerChanges {
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

    private mutating func nullableText() throws(DamagedBytes) -> String? {
        try optional { reader throws(DamagedBytes) in try reader.text() }
    }
}
