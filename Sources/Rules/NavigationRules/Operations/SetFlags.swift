import JSON

/// Sets flags of the session, as the app's code does. What is on screen stays.
public struct SetFlags: NavigationOperation {
    public static let name = "set-flags"
    public static let summary = "Sets flags of the session. The others keep their values."
    public static let details = "The change has no lifecycle events, and nothing is popped."
    public static let hasAnimated = false
    public static let shortForm = ShortForm.members("flags")
    public static let isAnimatedByDefault = false
    public static let refusals: [NavigationError.Code] = [.flagNotFound]

    public var flags: [String: Bool] = [:]

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("flags", required: .flags, &flags, "The new values of the flags, by name.")
    }

    public init(_ flags: [String: Bool]) { self.flags = flags }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try window.set(flags)
    }
}

extension MemberType where Value == [String: Bool] {
    /// The values of flags by name.
    static let flags = MemberType(
        schema: .named("FlagValues"), kind: "an object",
        read: { $0.expectsPresent($1) ? $0.booleans($1) : nil },
        write: { $1.write($0) })
}
