/// The view controllers of one navigation controller, root first. A stack is never empty and has no
/// duplicates.
public struct NavigationStack: Sendable, Equatable {
    public private(set) var viewControllers: [ViewController]

    init(root: ViewController) {
        viewControllers = [root]
    }

    /// Creates a stack.
    /// - Returns: nil if `viewControllers` is empty or has duplicates.
    init?(_ viewControllers: [ViewController]) {
        guard !viewControllers.isEmpty,
            Set(viewControllers.map(\.id)).count == viewControllers.count
        else { return nil }
        self.viewControllers = viewControllers
    }

    public var root: ViewController { viewControllers[0] }
    public var top: ViewController { viewControllers[viewControllers.count - 1] }

    var viewControllerBelowTop: ViewController? {
        viewControllers.count > 1 ? viewControllers[viewControllers.count - 2] : nil
    }

    func index(of id: ViewController.ID) -> Int? {
        viewControllers.firstIndex { $0.id == id }
    }

    /// Pushes a view controller.
    /// - Precondition: the view controller is not on the stack.
    mutating func push(_ viewController: ViewController) {
        viewControllers.append(viewController)
    }

    /// Pops until the entry at `index` is on top.
    /// - Returns: the popped view controllers, bottom to top.
    mutating func pop(to index: Int) -> [ViewController] {
        let popped = Array(viewControllers[(index + 1)...])
        viewControllers.removeSubrange((index + 1)...)
        return popped
    }

    /// Replaces all view controllers.
    /// - Precondition: `new` is not empty and has no duplicates.
    /// - Returns: the view controllers that left the stack, bottom to top.
    mutating func set(_ new: [ViewController]) -> [ViewController] {
        precondition(!new.isEmpty)
        let staying = Set(new.map(\.id))
        let left = viewControllers.filter { !staying.contains($0.id) }
        viewControllers = new
        return left
    }

    mutating func updateTop(_ change: (inout ViewController) -> Void) {
        change(&viewControllers[viewControllers.count - 1])
    }

    /// The number of bytes that the texts from clients take as JSON strings.
    var textSize: Int { viewControllers.reduce(0) { $0 + $1.textSize } }

    mutating func update(at index: Int, _ change: (inout ViewController) -> Void) {
        change(&viewControllers[index])
    }

    /// Returns the view controllers of this stack that are not in `other`, bottom to top.
    func viewControllers(missingFrom other: NavigationStack) -> [ViewController] {
        let common = min(viewControllers.count, other.viewControllers.count)
        var shared = 0
        while shared < common, viewControllers[shared].id == other.viewControllers[shared].id {
            shared += 1
        }
        guard shared < viewControllers.count else { return [] }
        let rest = viewControllers[shared...]
        guard shared < other.viewControllers.count else { return Array(rest) }
        let others = Set(other.viewControllers[shared...].map(\.id))
        return rest.filter { !others.contains($0.id) }
    }
}
