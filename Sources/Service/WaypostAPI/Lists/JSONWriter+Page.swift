import JSON

extension JSONWriter {
    /// Writes a page of a list: an object with the member `items` and the member `next`, which is
    /// the `after` of the following page, and null on the last page.
    /// - Parameters:
    ///   - found: the items after the position that the request names. There are more than `limit`
    ///     of them if another page follows.
    ///   - limit: the maximum number of items on the page.
    ///   - position: returns the text with which a client asks for the items after an item.
    ///   - write: writes one item, a JSON object.
    ///   - others: writes the further members of the page.
    mutating func page<Item>(
        _ found: [Item], limit: Int, at position: (Item) -> String,
        _ write: (inout JSONWriter, Item) -> Void, others: (inout JSONWriter) -> Void = { _ in }
    ) {
        let items = found.prefix(limit)
        object { json in
            json.array("items", items, write)
            json.member("next", found.count > limit ? items.last.map(position) : nil)
            others(&json)
        }
    }
}
