/// Decodes a catalog of books from a property list, which has one of these forms:
/// - an array of authors, each with an array of books;
/// - an array of books, each with its author. The authors are in the order of their first books;
/// - a dictionary of shelves. A shelf is an array of authors, an array of books, or a dictionary
///   with an array of books. If a book names no author, its author is the key of its shelf. The
///   shelves are sorted by key.
///
/// The decoder reports mistakes to the `PropertyListReader`, and leaves out unusable entries. If a
/// mistake is reported, `Decoded`, which calls the decoder, throws an error. Ids are computed last,
/// because the id of an entry depends on the names of all its siblings.
struct CatalogDecoder {
    let covers: ImageFolder
    var keys = CatalogKeys()

    // Entries of the file, which have no ids yet.
    private typealias AuthorEntry = (name: String, books: [BookEntry], attributes: [Attribute])
    private typealias BookEntry = (title: String, cover: Cover?, attributes: [Attribute])

    func catalog(from reader: PropertyListReader) -> Catalog? {
        let authors: [AuthorEntry]
        if reader.isDictionary, let shelves = reader.dictionary(), !shelves.keys.isEmpty {
            authors = self.authors(ofShelves: shelves, warn: { reader.reportWarning($0) })
        } else {
            guard let entries = reader.array("an array of authors") else { return nil }
            if entries.isEmpty { reader.reportWarning("the catalog has no authors") }
            authors = self.authors(entries, shelf: nil)
        }
        let ids = Identifiers.unique(for: authors.map(\.name), orElse: "author")
        return Catalog(
            authors: zip(ids, authors).map { id, author in
                Author(
                    id: id, name: author.name, books: books(author.books),
                    attributes: author.attributes)
            })
    }

    private func authors(
        ofShelves shelves: PropertyListMembers, warn: (String) -> Void
    ) -> [AuthorEntry] {
        let entries = shelves.keys.flatMap { name in
            let shelf = shelves[name]
            guard let books = shelf.member(keys.books), let members = shelf.dictionary() else {
                return authors(shelf.array("an array of books") ?? [], shelf: name)
            }
            var found = authors(books.array("an array of books") ?? [], shelf: name)
            if found.count == 1, found[0].name == name {
                found[0].attributes = attributes(of: members, besides: [keys.books])
            }
            return found
        }
        return merged(entries, warn: warn)
    }

    /// Merges the books and attributes of authors with the same name into one author. Each author
    /// keeps the place of the first entry with this name.
    /// - Parameter warn: reports a warning. It is called for each attribute that has several
    ///   values, of which the author keeps the first.
    private func merged(
        _ authors: [AuthorEntry], warn: (String) -> Void = { _ in }
    ) -> [AuthorEntry] {
        var merged: [AuthorEntry] = []
        var indices: [String: Int] = [:]
        for author in authors {
            if let index = indices[author.name] {
                merged[index].books += author.books
                merge(author.attributes, into: &merged[index], warn: warn)
            } else {
                indices[author.name] = merged.count
                merged.append(author)
            }
        }
        return merged
    }

    private func merge(
        _ attributes: [Attribute], into author: inout AuthorEntry, warn: (String) -> Void
    ) {
        for attribute in attributes {
            let first = author.attributes.first { $0.key == attribute.key }
            if first == nil {
                author.attributes.append(attribute)
            } else if first != attribute {
                warn(
                    "several entries of the author \(author.name) differ in \(attribute.key): the "
                        + "first one counts")
            }
        }
        author.attributes.sort { $0.key < $1.key }
    }

    /// Decodes an array of authors, or an array of books.
    /// - Parameter shelf: the author of the books that name no author; nil if each book must name
    ///   its author.
    private func authors(_ entries: [PropertyListReader], shelf: String?) -> [AuthorEntry] {
        let hasAuthors = entries.contains { $0.member(keys.books) != nil }
        let hasBooks = shelf != nil || entries.contains { $0.member(keys.title) != nil }
        guard hasBooks, !hasAuthors else { return entries.compactMap(author) }
        if let shelf, entries.isEmpty { return [(shelf, [], [])] }
        guard keys.author != keys.title, keys.author != keys.cover else {
            entries[0].reportDefect(
                "the author of a book has the key \(keys.author), which is also that of its title "
                    + "or cover; map them to different keys with --catalog-keys")
            return []
        }
        return merged(entries.compactMap { bookWithAuthor(from: $0, shelf: shelf) })
    }

    private func author(from reader: PropertyListReader) -> AuthorEntry? {
        guard let entry = reader.dictionary("a dictionary with Author and Books") else {
            return nil
        }
        let isBook = !entry.keys.contains { entry[$0].isArray }
        reportKeys(of: entry, expected: [keys.author, isBook ? keys.title : keys.books])
        let name = entry[keys.author].shownText()
        let books = entry[keys.books].array("an array of books")?.compactMap {
            book(from: $0, besides: [])
        }
        guard let name, let books else { return nil }
        return (name, books, attributes(of: entry, besides: [keys.author, keys.books]))
    }

    /// Decodes a book and the name of its author. Returns the author with this book alone; nil if
    /// the entry has no usable title or author.
    /// - Parameter shelf: the author of a book that names no author; nil if the book must name its
    ///   author.
    private func bookWithAuthor(
        from reader: PropertyListReader, shelf: String?
    ) -> AuthorEntry? {
        let name: String?
        if reader.isDictionary, let entry = reader.dictionary(),
            shelf == nil || entry[keys.author].ifPresent != nil
        {
            reportKeys(of: entry, expected: [keys.author])
            name = entry[keys.author].shownText()
        } else {
            name = shelf
        }
        guard let book = book(from: reader, besides: [keys.author]), let name else { return nil }
        return (name, [book], [])
    }

    // MARK: Books

    private func books(_ entries: [BookEntry]) -> [Book] {
        let ids = Identifiers.unique(for: entries.map(\.title), orElse: "book")
        return zip(ids, entries).map { id, book in
            Book(id: id, title: book.title, cover: book.cover, attributes: book.attributes)
        }
    }

    /// Decodes a book; returns nil if the entry has no usable title.
    /// - Parameter known: the keys, besides those of the title and the cover, whose values do not
    ///   become attributes.
    private func book(from reader: PropertyListReader, besides known: [String]) -> BookEntry? {
        guard let entry = reader.dictionary("a dictionary with Title") else { return nil }
        reportKeys(of: entry, expected: [keys.title])
        let title = entry[keys.title].shownText()
        let cover = entry[keys.cover].ifPresent?.image(in: covers)
        if entry[keys.cover].ifPresent == nil {
            entry[keys.cover].reportWarning("missing; the book has no cover")
        }
        guard let title else { return nil }
        return (title, cover, attributes(of: entry, besides: [keys.title, keys.cover] + known))
    }

    /// Reports a warning if the entry lacks at least one of the `expected` keys, but has keys that
    /// are not among them. The warning lists the keys that the entry has.
    private func reportKeys(of entry: PropertyListMembers, expected: [String]) {
        let found = entry.keys
        guard let missing = expected.first(where: { !found.contains($0) }),
            !found.allSatisfy(expected.contains)
        else { return }
        entry[missing].reportWarning(
            "expected the keys \(expected.joined(separator: ", ")), found "
                + "\(found.prefix(20).joined(separator: ", ")); map them with --catalog-keys")
    }

    /// Returns the members of an entry that the service passes to clients without interpreting the
    /// values. Reports a defect for each date outside the years 1 to 9999.
    /// - Parameter known: the keys of the members to leave out.
    private func attributes(
        of entry: PropertyListMembers, besides known: [String]
    ) -> [Attribute] {
        entry.others(besides: Set(known)).map { key, value in
            entry[key].checkDates()
            return Attribute(key: key, value: value)
        }
    }
}
