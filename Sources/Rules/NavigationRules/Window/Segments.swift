/// The state of a segmented control that switches between view controllers: the selected segment,
/// and the root view controller of each segment. A root is created when it is first used. From then
/// on, it is either on a navigation stack or in `kept`.
public struct Segments: Sendable, Equatable {
    public internal(set) var selectedIndex = 0
    /// The number in the id of the root view controller of each segment; 0 if it has not been created
    /// yet. Optional ids would take twice the memory.
    private(set) var roots: [Int]
    /// The root view controllers that have been created but are on no navigation stack at present.
    /// There is at most one for each segment.
    private(set) var kept: [ViewController] = []

    init(count: Int) {
        roots = Array(repeating: 0, count: count)
    }

    /// - Parameter count: the number of segments of the storyboard, which may have gained some.
    init(_ stored: StoredWindow.SegmentRoots, count: Int, kept: [ViewController]) {
        selectedIndex = stored.selectedIndex
        roots = stored.roots.map { $0 ?? 0 }
        roots += repeatElement(0, count: count - roots.count)
        self.kept = kept
    }

    var count: Int { roots.count }

    /// Returns the index of the segment whose root view controller has this id; nil if there is
    /// none.
    func index(of id: ViewController.ID) -> Int? {
        roots.firstIndex(of: id.number)
    }

    /// Returns the id of the root view controller of the segment at `index`; nil if it has not been
    /// created yet. The id stays the same until the user logs in or out.
    public func root(of index: Int) -> ViewController.ID? {
        roots[index] == 0 ? nil : ViewController.ID(number: roots[index])
    }

    mutating func setRoot(_ id: ViewController.ID, of index: Int) {
        roots[index] = id.number
    }

    func keptRoot(_ id: ViewController.ID) -> ViewController? {
        kept.first { $0.id == id }
    }

    /// Stores the view controllers that are roots of segments, so that they can return to a stack
    /// later. Ignores all other view controllers.
    /// - Parameter left: the view controllers that have left a stack.
    mutating func keep(_ left: [ViewController]) {
        for viewController in left where index(of: viewController.id) != nil {
            kept.append(viewController)
        }
    }

    /// Removes from `kept` the root view controllers that are on a stack again.
    /// - Parameter entering: the view controllers that have been put on a stack.
    mutating func release(_ entering: [ViewController]) {
        guard !kept.isEmpty else { return }
        let entering = Set(entering.map(\.id))
        kept.removeAll { entering.contains($0.id) }
    }

    mutating func update(_ id: ViewController.ID, _ change: (inout ViewController) -> Void) {
        guard let index = kept.firstIndex(where: { $0.id == id }) else { return }
        change(&kept[index])
    }

    /// Returns whether the properties of a view controller in `kept` have changed since `old`. Only
    /// view controllers that are in `kept` both now and in `old` are compared. The result is false
    /// if `old` is nil.
    func hasUpdates(since old: Segments?) -> Bool {
        kept.contains { root in old?.keptRoot(root.id).map { $0 != root } ?? false }
    }
}

extension Window {
    /// Returns the title of the segment at `index`. This is the title in the storyboard or, if the
    /// storyboard has none, the title of the segment's root view controller. Before that view
    /// controller is created, its scene supplies the title. The result is nil if there is no such
    /// title.
    public func segmentTitle(_ index: Int, in app: App) -> String? {
        let segment = app.storyboard.segments[index]
        if let title = segment.title { return title }
        if let id = segments?.root(of: index), let root = liveViewController(id) {
            return root.title
        }
        return segment.scene.title?.text(for: segment.scene, .none, from: app.dataSource)
    }
}
