/// The view controllers of one navigation controller, from the root to the top. A stack is never
/// empty and contains no view controller twice.
public struct NavigationStack: Sendable, Equatable {
    public private(set) var viewControllers: [ViewController]

    init(root: ViewController) {
        viewControllers = [root]
    }

    /// Creates a stack from view controllers in the order from the root to the top.
    /// - Returns: nil if `viewControllers` is empty or contains a view controller twice.
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

    /// Pops view controllers until the one at `index` is on top.
    /// - Returns: the popped view controllers, from bottom to top.
    mutating func pop(to index: Int) -> [ViewController] {
        let popped = Array(viewControllers[(index + 1)...])
        viewControllers.removeSubrange((index + 1)...)
        return popped
    }

    /// Replaces all view controllers on the stack.
    /// - Precondition: `new` is not empty and contains no view controller twice.
    /// - Returns: the view controllers that were on the stack and are not in `new`, from bottom to
    ///   top.
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

    /// The total size of the parameter values of these view controllers and of the texts that
    /// clients have set on them, in bytes, when written as JSON strings.
    var textSize: Int { viewControllers.reduce(0) { $0 + $1.textSize } }

    mutating func update(at index: Int, _ change: (inout ViewController) -> Void) {
        change(&viewControllers[index])
    }

    /// Returns the view controllers on this stack that are not on `other`, from bottom to top.
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
