import JSON
import Sessions

/// A page of a list. Its JSON is `{"items": […], "next": …}`, in which `next` is the `after` of the
/// following page, and null on the last page.
struct Page<Item> {
    let items: ArraySlice<Item>
    let next: String?

    /// Creates a page.
    /// - Parameters:
    ///   - found: the items after the position that the request names. There are more than `limit`
    ///     of them if another page follows.
    ///   - limit: the maximum number of items on the page.
    ///   - position: returns the text with which a client asks for the items after an item.
    init(_ found: [Item], limit: Int, position: (Item) -> String) {
        items = found.prefix(limit)
        next = found.count > limit ? items.last.map(position) : nil
    }
}

extension Page: Sendable where Item: Sendable {}

extension JSONWriter {
    /// Writes a page of a list.
    /// - Parameter write: writes one item, a JSON object.
    mutating func page<Item>(_ page: Page<Item>, _ write: (inout JSONWriter, Item) -> Void) {
        object { $0.members(of: page, write) }
    }

    /// Writes the members of a page of a list.
    mutating func members<Item>(
        of page: Page<Item>, _ write: (inout JSONWriter, Item) -> Void
    ) {
        array("items", page.items, write)
        member("next", page.next)
    }
}

extension ListPosition {
    /// The position as `after` of a request.
    var text: String { "\(createdAt.milliseconds)-\(id)" }
}
