/// The segmented control's state: which segment is selected, and the root of each, which is made on
/// first use and kept from then on, on the stack or beside it.
public struct Segments: Sendable, Equatable {
    public internal(set) var selectedIndex = 0
    /// The root of each segment; nil until first use.
    private var roots: [ViewController.ID?]
    /// The roots that are alive but off the stack, at most one for each segment.
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

    /// The segment whose root this is.
    func index(of id: ViewController.ID) -> Int? {
        roots.firstIndex(of: id)
    }

    /// The id of a segment's root, which lives as long as the app root does; nil until first use.
    public func root(of index: Int) -> ViewController.ID? { roots[index] }

    mutating func setRoot(_ id: ViewController.ID, of index: Int) {
        roots[index] = id
    }

    func keptRoot(_ id: ViewController.ID) -> ViewController? {
        kept.first { $0.id == id }
    }

    /// Keeps those of `left` that are the root of a segment.
    mutating func keep(_ left: [ViewController]) {
        for viewController in left where roots.contains(viewController.id) {
            kept.append(viewController)
        }
    }

    /// Hands over to the stack those of `entering` that were kept.
    mutating func release(_ entering: [ViewController]) {
        guard !kept.isEmpty else { return }
        let entering = Set(entering.map(\.id))
        kept.removeAll { entering.contains($0.id) }
    }

    mutating func update(_ id: ViewController.ID, _ change: (inout ViewController) -> Void) {
        guard let index = kept.firstIndex(where: { $0.id == id }) else { return }
        change(&kept[index])
    }

    /// Whether one of the kept roots differs from what it was. A root that was only made, and is
    /// not shown, is nothing that anybody could see.
    func hasUpdates(since old: Segments?) -> Bool {
        kept.contains { root in old?.keptRoot(root.id).map { $0 != root } ?? false }
    }
}
