import PropertyLists

/// Decodes a catalog from a property list.
///
/// Ids are computed after all names are known, because an id depends on the names of all siblings.
/// The decoder omits entries with defects; it returns no catalog if there are defects.
struct CatalogDecoder {
    let covers: ImageFolder

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
        let name = entry["Author"].shownText()
        let books = entry["Books"].array("an array of books").map(books)
        guard let name, let books else { return nil }
        return (name, books, attributes(of: entry, besides: ["Author", "Books"]))
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
        let title = entry["Title"].shownText()
        let cover = entry["Cover"].ifPresent?.image(in: covers)
        if entry["Cover"].ifPresent == nil {
            entry["Cover"].reportWarning("missing; the book has no cover")
        }
        guard let title else { return nil }
        return (title, cover, attributes(of: entry, besides: ["Title", "Cover"]))
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
