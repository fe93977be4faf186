/// The state of the segmented control: the selected segment, and the root of each segment. A root
/// is created on first use. From then on it is either on a stack or in `kept`.
public struct Segments: Sendable, Equatable {
    public internal(set) var selectedIndex = 0
    /// The root of each segment; nil before its first use.
    private var roots: [ViewController.ID?]
    /// The roots that exist but are on no stack, at most one for each segment.
    private(set) var kept: [ViewController] = []

    init(count: Int) {
        roots = Array(repeating: nil, count: count)
    }

    init(roots: [ViewController.ID?], kept: [ViewController], selectedIndex: Int) {
        self.roots = roots
        self.kept = kept
        self.selectedIndex = selectedIndex
    }

    var count: Int { roots.count }

    /// Returns the index of the segment whose root has this id; nil if no segment's root has it.
    func index(of id: ViewController.ID) -> Int? {
        roots.firstIndex(of: id)
    }

    /// Returns the id of a segment's root; nil before its first use. The id stays the same until
    /// the user logs in or out, which replaces the root of the window.
    public func root(of index: Int) -> ViewController.ID? { roots[index] }

    mutating func setRoot(_ id: ViewController.ID, of index: Int) {
        roots[index] = id
    }

    func keptRoot(_ id: ViewController.ID) -> ViewController? {
        kept.first { $0.id == id }
    }

    /// Keeps those view controllers that are roots of segments.
    /// - Parameter left: the view controllers that left the stack.
    mutating func keep(_ left: [ViewController]) {
        for viewController in left where roots.contains(viewController.id) {
            kept.append(viewController)
        }
    }

    /// Removes the kept roots that are on the stack again.
    /// - Parameter entering: the view controllers that are on the stack now.
    mutating func release(_ entering: [ViewController]) {
        guard !kept.isEmpty else { return }
        let entering = Set(entering.map(\.id))
        kept.removeAll { entering.contains($0.id) }
    }

    mutating func update(_ id: ViewController.ID, _ change: (inout ViewController) -> Void) {
        guard let index = kept.firstIndex(where: { $0.id == id }) else { return }
        change(&kept[index])
    }

    /// Returns whether a kept root differs from its state in `old`, in which it was kept too. A
    /// newly created root does not count, because it has not been shown and clients cannot see it.
    func hasUpdates(since old: Segments?) -> Bool {
        kept.contains { root in old?.keptRoot(root.id).map { $0 != root } ?? false }
    }
}

extension Window {
    /// Returns the title of a segment: the title in the storyboard or, if there is none, the title
    /// of the segment's root. The scene supplies the root's title before the root is created.
    public func segmentTitle(_ index: Int, in app: App) -> String? {
        let segment = app.storyboard.segments[index]
        if let title = segment.title { return title }
        if let id = segments?.root(of: index), let root = liveViewController(id) {
            return root.title
        }
        return app.prototype(of: segment.scene)?.title
    }
}
