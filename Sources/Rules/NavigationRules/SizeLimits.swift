/// The limits on the texts and stacks of a session. They bound the memory and disk space of the
/// session, and the size of each response that shows the session.
public struct SizeLimits: Sendable {
    /// The maximum number of view controllers in a session, on all its stacks together.
    public static let viewControllers = 4000
    /// The maximum number of view controllers on a stack.
    public var stackDepth = 1000
    /// The maximum number of characters in each text, such as a title, an item or the value of a
    /// parameter. Characters are counted as Unicode scalars, as in JSON Schema. A link may have
    /// four times as many.
    public var textLength = 1024
    /// The maximum number of bar items on one side of a navigation bar, or on a toolbar.
    public var items = 20
    /// The maximum total size of the texts in one session, in bytes, when written as JSON strings.
    /// The parameter values, the texts that clients have set and a deep link that waits for a
    /// log-in count toward this size.
    public var sessionSize = 262_144

    public init() {}

    var linkLength: Int { 4 * textLength }
}

/// The part of an operation that exceeds a limit, and the limit that it exceeds.
public struct LimitDefect: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// A text has too many characters. The values are the actual number and the maximum.
        case textTooLong(Int, maximum: Int)
        case tooManyItems(Int, maximum: Int)
    }

    /// The path to the text or list in the JSON object that describes the operation, such as
    /// `["navigationItem", "title"]`. For a text in a list, the last component is the index of the
    /// text. For an entry of `SetViewControllers`, the path begins in the JSON object of the entry.
    public let member: [String]
    public let reason: Reason
}

extension SizeLimits {
    /// Checks the length of all texts and of all lists of items in `changes`.
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

    /// Checks the length of parameter values.
    /// - Throws: `.beyondLimit` if a value is too long. If several values are too long, the error
    ///   reports the first one in the order of the parameter names.
    func check(parameters: [String: String]) throws(NavigationError) {
        // Only a value with more bytes than `textLength` can be too long. Only these values
        // are sorted. The order makes equal requests fail with equal errors.
        let long = parameters.filter { $0.value.utf8.count > textLength }
        for (name, value) in long.sorted(by: { $0.key < $1.key }) {
            try check(value, ["parameters", name])
        }
    }

    /// Checks the length of a link.
    /// - Throws: `.malformedLink` if the link is too long.
    func check(_ link: Link) throws(NavigationError) {
        let length = link.text.unicodeScalars.count
        guard length <= linkLength else {
            throw .malformedLink(link, .tooLong(length, maximum: linkLength))
        }
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

    private func check(_ text: String?, _ member: [String]) throws(NavigationError) {
        // A text never has more characters than UTF-8 bytes, and the number of bytes is available
        // without counting.
        guard let text, text.utf8.count > textLength else { return }
        let length = text.unicodeScalars.count
        guard length > textLength else { return }
        throw .beyondLimit(
            LimitDefect(member: member, reason: .textTooLong(length, maximum: textLength)))
    }
}

extension ViewControllerChanges {
    /// The total size of the texts in these changes, in bytes, when written as JSON strings.
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
    /// The total size of the values, in bytes, when written as JSON strings.
    var textSize: Int { values.reduce(0) { $0 + $1.sizeInJSON } }
}

extension String {
    /// The size of the string when written as a JSON string with quotes and escapes, in bytes.
    var sizeInJSON: Int {
        utf8.reduce(2) { size, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: size + 2
            case ..<0x20: size + 6
            default: size + 1
            }
        }
    }
}
