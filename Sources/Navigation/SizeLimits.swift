/// The sizes that operations are held to: clients' texts are kept in memory and on disk, and are part
/// of each response that shows the session.
public struct SizeLimits: Sendable {
    /// View controllers on a stack.
    public var stackDepth = 1000
    /// Characters (Unicode scalars, as JSON Schema counts them) of one title, item or parameter. A
    /// link may have four times as many.
    public var textLength = 1024
    /// Items on one side of a navigation bar, and on a toolbar.
    public var items = 20
    /// Bytes that all texts from clients take in one session, escaped as JSON strings.
    public var sessionSize = 262_144

    public init() {}

    var linkLength: Int { 4 * textLength }
}

/// A part of an operation that is beyond a limit.
public struct LimitDefect: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// In characters.
        case textTooLong(Int, maximum: Int)
        case tooManyItems(Int, maximum: Int)
    }

    /// The way to the member of the operation that is at fault, such as `navigationItem`, `title`.
    public let member: [String]
    public let reason: Reason
}

extension SizeLimits {
    /// - Throws: `.beyondLimit` with the first text or list of items that is too large.
    func check(_ changes: ViewControllerChanges) throws(NavigationError) {
        let item = changes.navigationItem
        try check(changes.title ?? nil, ["title"])
        try check(item.title ?? nil, ["navigationItem", "title"])
        try check(item.backButtonTitle ?? nil, ["navigationItem", "backButtonTitle"])
        try check(items: item.leftItems, ["navigationItem", "leftItems"])
        try check(items: item.rightItems, ["navigationItem", "rightItems"])
        try check(changes.bottomBarText ?? nil, ["bottomBarText"])
        try check(items: changes.toolbarItems, ["toolbarItems"])
    }

    /// - Throws: `.beyondLimit` with the first value that is too long.
    func check(parameters: [String: String]) throws(NavigationError) {
        for (name, value) in parameters { try check(value, ["parameters", name]) }
    }

    /// - Throws: `.beyondLimit`.
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
        // A text has at most as many characters as bytes, which are counted already.
        guard let text, text.utf8.count > maximum else { return }
        let length = text.unicodeScalars.count
        guard length > maximum else { return }
        throw .beyondLimit(
            LimitDefect(member: member, reason: .textTooLong(length, maximum: maximum)))
    }
}

extension ViewControllerChanges {
    /// Bytes that the texts take, escaped as JSON strings.
    var textSize: Int {
        let item = navigationItem
        let texts = [
            title ?? nil, item.title ?? nil, item.backButtonTitle ?? nil, bottomBarText ?? nil,
        ]
        let lists = [item.leftItems, item.rightItems, toolbarItems]
        return texts.reduce(0) { $0 + ($1?.sizeInJSON ?? 0) }
            + lists.reduce(0) { $1?.reduce($0) { $0 + $1.sizeInJSON } ?? $0 }
    }
}

extension Parameters {
    /// Bytes that the values take, escaped as JSON strings.
    var textSize: Int { values.reduce(0) { $0 + $1.sizeInJSON } }
}

extension String {
    /// Bytes, with quotes and escapes: a control character takes six.
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
