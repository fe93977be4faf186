/// The limits on the texts and stacks of a session. They bound the memory, the disk space and the
/// size of each response that shows the session.
public struct SizeLimits: Sendable {
    /// The maximum number of view controllers on all stacks of a session together.
    public static let viewControllers = 4000
    /// The maximum number of view controllers on a stack.
    public var stackDepth = 1000
    /// The maximum number of characters (Unicode scalars, as in JSON Schema) in a title, item or
    /// parameter. A link may have four times as many.
    public var textLength = 1024
    /// The maximum number of items on one side of a navigation bar, or on a toolbar.
    public var items = 20
    /// The maximum size of all texts from clients in one session, in bytes as JSON strings.
    public var sessionSize = 262_144

    public init() {}

    var linkLength: Int { 4 * textLength }
}

/// A part of an operation that exceeds a limit.
public struct LimitDefect: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// A text of too many characters: their number, and the maximum.
        case textTooLong(Int, maximum: Int)
        case tooManyItems(Int, maximum: Int)
    }

    /// The path to the member of the operation, such as `navigationItem`, `title`.
    public let member: [String]
    public let reason: Reason
}

extension SizeLimits {
    /// Checks all texts and lists of items in `changes`.
    /// - Throws: `.beyondLimit` for the first text or list that exceeds a limit.
    func check(_ changes: ViewControllerChanges) throws(NavigationError) {
        let item = changes.navigationItem
        try check(changes.title ?? nil, ["title"])
        try check(item.title ?? nil, ["navigationItem", "title"])
        try check(item.backButtonTitle ?? nil, ["navigationItem", "backButtonTitle"])
        try check(items: item.leftItems, ["navigationItem", "leftItems"])
        try check(items: item.rightItems, ["navigationItem", "rightItems"])
        try check(changes.bottomBarText ?? nil, ["bottomBarText"])
        try check(items: changes.toolbarItems, ["toolbarItems"])
        try check(changes.tabBarItem.title ?? nil, ["tabBarItem", "title"])
        try check(changes.tabBarItem.badge ?? nil, ["tabBarItem", "badge"])
    }

    /// Checks the values of parameters.
    /// - Throws: `.beyondLimit` for the first value, by name, that is too long.
    func check(parameters: [String: String]) throws(NavigationError) {
        // Only a value with more bytes than `textLength` can be too long. These values alone are
        // sorted, so that the same request gets the same problem each time.
        let long = parameters.filter { $0.value.utf8.count > textLength }
        for (name, value) in long.sorted(by: { $0.key < $1.key }) {
            try check(value, ["parameters", name])
        }
    }

    /// Checks a link and its segments.
    /// - Throws: `.beyondLimit` if the link or one of its segments is too long.
    func check(_ link: Link) throws(NavigationError) {
        try check(link.path, ["path"], maximum: linkLength)
        for segment in link.segments { try check(segment, ["path"]) }
    }

    private func check(items: [String]?, _ member: [String]) throws(NavigationError) {
        guard let items else { return }
        guard items.count <= self.items else {
            throw .beyondLimit(
                LimitDefect(
                    member: member, reason: .tooManyItems(items.count, maximum: self.items)))
        }
        for (index, item) in items.enumerated() { try check(item, member + [String(index)]) }
    }

    private func check(
        _ text: String?, _ member: [String], maximum: Int? = nil
    ) throws(NavigationError) {
        let maximum = maximum ?? textLength
        // A text has at most as many characters as UTF-8 bytes, and the number of bytes is known
        // without counting.
        guard let text, text.utf8.count > maximum else { return }
        let length = text.unicodeScalars.count
        guard length > maximum else { return }
        throw .beyondLimit(
            LimitDefect(member: member, reason: .textTooLong(length, maximum: maximum)))
    }
}

extension ViewControllerChanges {
    /// The number of bytes that the texts of these changes take as JSON strings.
    var textSize: Int {
        let item = navigationItem
        let texts = [
            title ?? nil, item.title ?? nil, item.backButtonTitle ?? nil, bottomBarText ?? nil,
            tabBarItem.title ?? nil, tabBarItem.badge ?? nil,
        ]
        let lists = [item.leftItems, item.rightItems, toolbarItems]
        return texts.reduce(0) { $0 + ($1?.sizeInJSON ?? 0) }
            + lists.reduce(0) { $1?.reduce($0) { $0 + $1.sizeInJSON } ?? $0 }
    }
}

extension Parameters {
    /// The number of bytes that the values take as JSON strings.
    var textSize: Int { values.reduce(0) { $0 + $1.sizeInJSON } }
}

extension String {
    /// The size as a JSON string in bytes, with quotes and escapes. Counts six bytes for each
    /// control character, although `JSONWriter` writes some of them in two, such as `\n`.
    var sizeInJSON: Int {
        utf8.reduce(2) { size, byte in
            switch byte {
            case ..<0x20: size + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): size + 2
            default: size + 1
            }
        }
    }
}
