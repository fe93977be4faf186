import HTTPCore
import JSON
import NavigationRules
import Sessions

/// A page of a session's history. Its changes are encoded as they are read, because a decoded change
/// can take several times the memory of its JSON.
struct HistoryPage: Sendable {
    /// The maximum size of a page with more than one change, in bytes. A limit on the number of
    /// changes alone does not bound the size, because each change may have a body as large as a
    /// request. A page of the default limit always fits if requests have the default maximum size.
    static let sizeLimit = 8 << 20

    private struct Item {
        let revision: Int
        let json: [UInt8]
    }

    private let limit: Int
    private let sizeLimit: Int
    private var items: [Item] = []
    private var size = 0
    private var isTooLarge = false

    /// - Parameters:
    ///   - limit: the maximum number of changes on the page.
    ///   - sizeLimit: the maximum size of a page with more than one change, in bytes.
    init(limit: Int, sizeLimit: Int = Self.sizeLimit) {
        self.limit = limit
        self.sizeLimit = sizeLimit
    }

    /// Adds a change. The one after `limit` changes only tells that another page follows.
    /// - Returns: whether the page may take another change. If it would be too large, no more
    ///   changes need to be read.
    mutating func add(_ change: RecordedChange) -> Bool {
        let isShown = items.count < limit
        let json = isShown ? JSONWriter.bytes { $0.recorded(change) } : []
        size += json.count
        isTooLarge = size > sizeLimit && isShown && !items.isEmpty
        if !isTooLarge { items.append(Item(revision: change.entry.revision, json: json)) }
        return !isTooLarge
    }

    /// - Throws: `.sessionTooLarge` if the page would be too large. The page is not cut, because a
    ///   page has fewer changes than `limit` only at the end of the list.
    func checkSize() throws(Problem) {
        guard isTooLarge else { return }
        throw Problem(
            NavigationError.Code.sessionTooLarge.kind,
            "the page would be larger than \(sizeLimit >> 20) MiB: send limit=\(items.count)")
    }

    var json: [UInt8] {
        JSONWriter.bytes(capacity: size + 2048) { json in
            json.page(items, limit: limit, at: \.revision.description) { $0.element($1.json) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func recorded(_ change: RecordedChange) {
        object { json in
            json.member("revision", change.entry.revision)
            json.member("time", change.entry.time)
            json.name("operation")
            json.operation(of: change.entry.action, isHidden: change.isHidden)
            json.member("withheld", change.isHidden)
            json.member("requestId", change.entry.requestID)
            json.member("transition", change.transition?.rawValue)
            json.member("title", change.title)
        }
    }
}
