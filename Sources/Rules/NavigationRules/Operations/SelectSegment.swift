/// Selects a segment, whose root view controller becomes the stack. The root of a segment is made at
/// the first selection and kept.
public struct SelectSegment: NavigationOperation {
    public static let name = "select-segment"
    public static let summary = "Selects a segment of the segmented control."
    public static let isAnimatedByDefault = false
    public static let shortForm = ShortForm.title(of: .segment, member: "index")
    public static let refusals: [NavigationError.Code] = [
        .noSegmentedControl, .segmentOutOfRange, .loginRequired, .stackTooDeep,
    ]

    public var index = 0

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "index", required: .integer, &index, "The index of the segment, counted from 0.")
    }

    public init(_ index: Int) { self.index = index }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        guard let count = window.segments?.count, window.isSingleStack else {
            throw .noSegmentedControl
        }
        guard (0..<count).contains(index) else { throw .segmentOutOfRange(index, count: count) }
        let root = window.segmentRoot(index, in: app)
        if root.id != window.rootStack.root.id { window.show([root], at: StackPosition()) }
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool {
        window.titleView == .segmentedControl
    }

    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        PendingAction(Operation(self), animated: animated)
    }
}
