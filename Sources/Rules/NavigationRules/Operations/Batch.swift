import JSON

/// Performs several operations as one change with one transition. UIKit does the same with the
/// changes that an app makes in one turn of its run loop.
public struct Batch: NavigationOperation {
    public static let name = "batch"
    public static let summary =
        "Performs several operations as one change with one transition, or none of them."
    public static let details =
        "If `animated` is absent, the last operation with this member decides, and a swipe-back "
        + "counts as animated; otherwise the transition is not animated."
    public static let isAnimatedByDefault = false
    public static let shortForm = ShortForm.list("operations")
    public static let refusals: [NavigationError.Code] = {
        var codes: [NavigationError.Code] = []
        for code in Operation.all.flatMap({ $0.refusals }) where !codes.contains(code) {
            codes.append(code)
        }
        return codes
    }()

    public static let maximumOperations = 1000

    public struct Entry: Sendable, Equatable {
        public let operation: Operation
        /// The value of the member `animated`; nil if the entry has none.
        public let animated: Bool?

        public init(_ operation: Operation, animated: Bool? = nil) {
            self.operation = operation
            self.animated = animated
        }
    }

    public var operations: [Entry] = []

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "operations", required: .operations, &operations,
            "The operations, each an object with one member: its name, and the body of its request."
        )
    }

    public init(_ operations: [Operation]) { self.operations = operations.map { Entry($0) } }

    public var isAnimatedByDefault: Bool {
        let last = operations.last { $0.animated != nil || $0.operation.base is SwipeBack }
        return last.map { $0.animated ?? true } ?? false
    }

    public var isAnimatedInLogByDefault: Bool {
        operations.last { $0.animated != nil }?.animated ?? false
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        for (index, entry) in operations.enumerated() {
            do throws(NavigationError) {
                try window.checkUserAction(entry.operation, in: app)
                let pending = window.pending
                try entry.operation.base.perform(on: &window, in: app)
                window.keepAnimated(of: entry.operation, entry.animated, since: pending)
                window.normalize()
                try window.checkGuest()
            } catch {
                throw .inBatch(index, entry.operation.name, error)
            }
            noteCoveredRoot(before: index, on: &window, in: app)
        }
    }

    /// Notes the root that the entry before has set, if the entry at `index` is a push that covers
    /// it. `dropGestures` forgets the root if the batch is not animated. It is unknown whether UIKit
    /// treats other operations in the same way.
    private func noteCoveredRoot(before index: Int, on window: inout Window, in app: App) {
        guard app.storyboard.uikit.loadsCoveredRoot, index > 0,
            let push = operations[index].operation.base as? Push,
            let root = operations[index - 1].operation.base as? SetRootViewController,
            let position = try? push.position(in: window),
            (try? root.position(in: window)) == position
        else { return }
        window.gestures.append(.coveredRoot(window[position].root.id))
    }

    /// Each of the operations is checked by itself.
    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}

extension MemberType where Value == [Batch.Entry] {
    static let operations = MemberType(
        schema: .list(of: .named("Operation"), maximum: Batch.maximumOperations), kind: "an array",
        read: { reader, name in
            guard reader.expectsPresent(name) else { return nil }
            let entries: [Batch.Entry?] = reader.array(name, atMost: Batch.maximumOperations) {
                reader in
                Operation.read(&reader, inBatch: true)
                    .map { Batch.Entry($0.operation, animated: $0.animated) }
            }
            return entries.compactMap(\.self)
        },
        write: { entries, json in
            json.array(entries) { json, entry in
                entry.operation.write(animated: entry.animated, to: &json)
            }
        })
}
