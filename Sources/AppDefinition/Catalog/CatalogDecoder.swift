import PropertyLists

/// Decodes a catalog from a property list.
///
/// Ids are computed after all names are known, because an id depends on the names of all siblings.
/// The decoder omits entries with defects; it returns no catalog if there are defects.
struct CatalogDecoder {
    let covers: ImageFolder
    var keys = CatalogKeys()

    func catalog(from reader: PropertyListReader) -> Catalog? {
        guard let entries = reader.array("an array of authors") else { return nil }
        if entries.isEmpty { reader.reportWarning("the catalog has no authors") }
        let authors = entries.compactMap(author)
        let ids = Identifiers.unique(for: authors.map(\.name), orElse: "author")
        return Catalog(
            authors: zip(ids, authors).map { id, author in
                Author(
                    id: id, name: author.name, books: author.books, attributes: author.attributes)
            })
    }

    private func author(
        from reader: PropertyListReader
    ) -> (name: String, books: [Book], attributes: [Attribute])? {
        guard let entry = reader.dictionary("a dictionary with Author and Books") else {
            return nil
        }
        reportKeys(of: entry, expected: [keys.author, keys.books])
        let name = entry[keys.author].shownText()
        let books = entry[keys.books].array("an array of books").map(books)
        guard let name, let books else { return nil }
        return (name, books, attributes(of: entry, besides: [keys.author, keys.books]))
    }

    private func books(from readers: [PropertyListReader]) -> [Book] {
        let books = readers.compactMap(book)
        let ids = Identifiers.unique(for: books.map(\.title), orElse: "book")
        return zip(ids, books).map { id, book in
            Book(id: id, title: book.title, cover: book.cover, attributes: book.attributes)
        }
    }

    private func book(
        from reader: PropertyListReader
    ) -> (title: String, cover: Cover?, attributes: [Attribute])? {
        guard let entry = reader.dictionary("a dictionary with Title") else {
            return nil
        }
        reportKeys(of: entry, expected: [keys.title])
        let title = entry[keys.title].shownText()
        let cover = entry[keys.cover].ifPresent?.image(in: covers)
        if entry[keys.cover].ifPresent == nil {
            entry[keys.cover].reportWarning("missing; the book has no cover")
        }
        guard let title else { return nil }
        return (title, cover, attributes(of: entry, besides: [keys.title, keys.cover]))
    }

    /// Reports the keys of an entry that has none of those that the catalog needs, but has others.
    private func reportKeys(of entry: PropertyListMembers, expected: [String]) {
        let found = entry.keys
        guard !found.isEmpty, !expected.contains(where: found.contains) else { return }
        entry[expected[0]].reportWarning(
            "expected the keys \(expected.joined(separator: ", ")), found "
                + "\(found.prefix(20).joined(separator: ", ")); map them with --catalog-keys")
    }

    /// Returns the members that the service passes on without interpreting them. Dates must fit RFC
    /// 3339.
    private func attributes(
        of entry: PropertyListMembers, besides known: Set<String>
    ) -> [Attribute] {
        entry.others(besides: known).map { key, value in
            entry[key].checkDates()
            return Attribute(key: key, value: value)
        }
    }
}
