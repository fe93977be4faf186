import HTTPCore
import JSON
import Sessions
import WaypostCore

/// The page of a list that a request asks for. All lists take the same two parameters: `limit`, the
/// maximum number of items on the page, and `after`, the `next` of the previous page.
struct PageRequest {
    static let parameters = ["limit", "after"]
    static let limits = 1...1000
    static let defaultLimit = 100

    let limit: Int
    /// The text of `after`; nil for the first page.
    let after: String?

    /// The number of items to read: one more than the page holds, because the presence of the last
    /// one tells that another page follows.
    var readLimit: Int { limit + 1 }

    /// The problem for an `after` that no page of the list has as its `next`.
    static let unknownAfter = Problem(
        .invalidQuery,
        "invalid after; use `next` of the previous page, or leave it out for the first page")

    /// Returns the position in the list after which the page begins; nil for the first page.
    /// - Parameter parse: returns the position for the text of `after`, and nil for a text that is
    ///   not the `next` of a page.
    /// - Throws: `unknownAfter` if `parse` returns nil.
    func position<Position>(_ parse: (String) -> Position?) throws(Problem) -> Position? {
        guard let after else { return nil }
        guard let position = parse(after) else { throw Self.unknownAfter }
        return position
    }

    /// Returns the number of the item after which the page begins, for a list whose items have
    /// numbers; 0 for the first page.
    /// - Throws: `unknownAfter` if `after` is not an integer of 0 or more.
    func number() throws(Problem) -> Int {
        try position(Query.number) ?? 0
    }

    /// Checks that a list with numbered items has the item after which the page begins.
    /// - Parameter last: the number of the list's newest item.
    /// - Throws: `.invalidQuery` if `number` is higher.
    static func check(_ number: Int, last: Int) throws(Problem) {
        guard number > last else { return }
        throw Problem(
            .invalidQuery,
            "invalid after; the newest item has the number \(last): use `next` of the previous "
                + "page, or the number of the last item that you have")
    }

    /// Returns the position in a list that is in the order of times and ids; nil for the first
    /// page.
    /// - Parameter parse: returns the id for its text, and nil for an invalid text.
    /// - Throws: `unknownAfter` if `after` is not such a position.
    func timePosition<ID>(_ parse: (String) -> ID?) throws(Problem) -> ListPosition<ID>? {
        try position { text in
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let time = Int(parts[0]), time >= 0,
                let id = parse(String(parts[1]))
            else { return nil }
            return ListPosition(
                createdAt: Timestamp(milliseconds: time.clampedToInteroperable), id: id)
        }
    }
}

extension ListPosition {
    /// The position as `after` of a request.
    var text: String { "\(createdAt.milliseconds)-\(id)" }
}

extension Query {
    /// Reads the query parameters `limit` and `after`.
    /// - Throws: `.invalidQuery` if `limit` is not an integer from 1 to 1000.
    func page() throws(Problem) -> PageRequest {
        let limit = try integer("limit", in: PageRequest.limits)
        return PageRequest(limit: limit ?? PageRequest.defaultLimit, after: text("after"))
    }
}

extension BodyReader {
    /// Reads the members `limit` and `after` of a request for a list on the admin socket.
    mutating func page() -> PageRequest {
        let (limits, limit) = (PageRequest.limits, optionalInteger("limit", from: 1))
        if let limit, limit > limits.upperBound {
            note("expected an integer of at most \(limits.upperBound)", member: "limit")
        }
        return PageRequest(
            limit: limit ?? PageRequest.defaultLimit, after: optionalString("after"))
    }
}
