import JSON

/// The declaration of an operation on a window. A value of a conforming type is a request for the
/// operation, with its arguments.
///
/// The route of the operation, its entry in a batch, its record in the history and in the store, its
/// step in a flow and its part of `openapi.yaml` all come from this declaration. An operation is
/// added with a conforming type in a file of its own, and a line in `Operation.all`.
public protocol NavigationOperation: MemberList {
    /// The name of the operation: the last component of its path, and the name of the member that
    /// stands for it in a batch, in the history and in a flow.
    static var name: String { get }
    /// One sentence that says what the operation does, for `openapi.yaml`.
    static var summary: String { get }
    /// Further sentences for `openapi.yaml`; empty by default.
    static var details: String { get }
    /// Whether a request can have the member `animated`; true by default.
    static var hasAnimated: Bool { get }
    /// The value of `animated` if a request has no such member; true by default.
    static var isAnimatedByDefault: Bool { get }
    /// The short form in which a flow can write the arguments; none by default.
    static var shortForm: ShortForm { get }
    /// The reasons for which the operation can be refused, other than a malformed body.
    static var refusals: [NavigationError.Code] { get }

    /// The value of `animated` if this request has no such member.
    var isAnimatedByDefault: Bool { get }
    /// The value of `animated` in a stored log without this member. It never changes, so that earlier
    /// logs keep their meaning.
    var isAnimatedInLogByDefault: Bool { get }

    /// Reads a request for the operation from the body of a request.
    /// - Returns: the operation, and the value of the member `animated`; nil if there is none.
    static func read(_ body: inout BodyReader) -> (operation: Operation, animated: Bool?)

    /// Performs the operation on a window. All checks come before the first change.
    /// - Throws: the reason why the operation is refused. The caller then drops the window.
    func perform(on window: inout Window, in app: App) throws(NavigationError)

    /// Returns whether a user of the app can perform the operation in a window. A strict session
    /// refuses all other operations. False by default.
    func isUserAction(in window: Window, _ app: App) -> Bool

    /// Returns what waits for the log-in if a guest performs the operation and it would show a
    /// members' scene.
    /// - Parameters:
    ///   - window: the window before the operation, which a member may perform.
    ///   - animated: the value of the member `animated`; nil if the request has the default value.
    /// - Returns: nil, by default, for an operation of a program, which is refused instead.
    func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction?
}

extension NavigationOperation {
    public static var details: String { "" }
    public static var hasAnimated: Bool { true }
    public static var isAnimatedByDefault: Bool { true }
    public static var shortForm: ShortForm { .none }
    public var isAnimatedByDefault: Bool { Self.isAnimatedByDefault }
    public var isAnimatedInLogByDefault: Bool { isAnimatedByDefault }
    public func isUserAction(in window: Window, _ app: App) -> Bool { false }
    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        nil
    }

    public static func read(_ body: inout BodyReader) -> (operation: Operation, animated: Bool?) {
        var operation = Self()
        Self.read(&body, into: &operation)
        return (Operation(operation), hasAnimated ? body.optionalBoolean("animated") : nil)
    }

    fileprivate func isEqual(to other: any NavigationOperation) -> Bool { other as? Self == self }
}

/// The short form in which a flow can write the arguments of an operation, as in `push: books`.
public enum ShortForm: Sendable {
    case none
    /// A text stands for the member with the first name. If the text refers to a live view
    /// controller, as in `@books`, it stands for the member `reference`.
    case text(String, reference: String? = nil)
    /// The title of a row, a segment or a tab stands for its index, the value of the member.
    case title(of: Tap.Place, member: String)
    /// This word stands for a value of the member.
    case word(String, member: String, value: Bool)
    /// A list stands for the member with this name.
    case list(String)
    /// An object stands for the member with this name.
    case members(String)
}

/// An operation on a window, of any kind. An operation takes effect completely or not at all.
public struct Operation: Sendable, Equatable {
    /// An object, so that functions pass a reference on and copy no arguments.
    private final class Box: Sendable {
        let base: any NavigationOperation

        init(_ base: any NavigationOperation) { self.base = base }
    }

    private let box: Box

    public var base: any NavigationOperation { box.base }

    public init(_ base: some NavigationOperation) { box = Box(base) }

    public static func == (one: Operation, other: Operation) -> Bool {
        one.base.isEqual(to: other.base)
    }

    public var name: String { Swift.type(of: base).name }

    /// The operations that a client can request, alone or in a batch.
    public static let all: [any NavigationOperation.Type] = [
        Push.self, Pop.self, PopTo.self, PopToRoot.self, SetViewControllers.self,
        SetRootViewController.self, SelectRow.self, SelectSegment.self, Back.self, SwipeBack.self,
        Open.self,
        Present.self, Dismiss.self, SwipeDown.self, SelectTab.self, TapTab.self,
        PerformSegue.self, TapControl.self, Show.self, Unwind.self, SetFlags.self,
    ]

    private static let types: [String: any NavigationOperation.Type] = {
        let types: [any NavigationOperation.Type] = all + [Batch.self, Patch.self]
        return Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0) })
    }()

    /// Returns the type of the operation with a name, also of a batch and of a patch.
    public static func type(named name: String) -> (any NavigationOperation.Type)? { types[name] }

    // MARK: JSON

    /// Writes the operation as JSON: an object with one member, the name of the operation, whose
    /// value is the body of its request.
    /// - Parameter animated: the value of the member `animated`; nil to leave it out.
    public func write(animated: Bool? = nil, to json: inout JSONWriter) {
        let base = base
        json.object { json in
            json.name(escaping: Swift.type(of: base).name)
            json.object { json in
                base.writeMembers(to: &json)
                if let animated { json.member("animated", animated) }
            }
        }
    }

    /// Reads an operation from a JSON object that `write` has written, or from an entry of a batch.
    /// - Parameter isInBatch: whether the object is an entry of a batch, which is no batch itself.
    /// - Returns: the operation; nil if the object is something else, which is a recorded defect.
    public static func read(
        _ reader: inout BodyReader, inBatch isInBatch: Bool
    ) -> (operation: Operation, animated: Bool?)? {
        let names = reader.names
        guard names.count == 1, let name = names.first else {
            reader.ignoreOthers()
            reader.note(
                "expected one member, named after an operation, as in {\"\(Pop.name)\": {}}; found "
                    + "\(names.count) members")
            return nil
        }
        if isInBatch, name == Batch.name {
            reader.ignoreOthers()
            reader.note("\(name) is not allowed here: a batch contains no batches", member: name)
            return nil
        }
        guard let type = types[name] else {
            reader.ignoreOthers()
            let known = types.keys.filter { !isInBatch || $0 != Batch.name }.sorted()
            let advice =
                didYouMean(name, among: known)
                ?? "expected one of \(known.joined(separator: ", "))"
            reader.note("unknown operation; \(advice)", member: name)
            return nil
        }
        var read: (operation: Operation, animated: Bool?)?
        reader.nested(name) { read = type.read(&$0) }
        return read
    }
}
