import Navigation

extension RecordSource {
    /// The authors and books of a catalog, with their covers.
    public init(_ catalog: Catalog) {
        let authors = RecordLevel(rows: "authors", each: "author", image: nil)
        let books = RecordLevel(rows: "books", each: "book", image: "cover")
        let records = catalog.authors.map { author in
            Record(
                id: author.id, title: author.name, subtitle: books.counted(author.books.count),
                children: author.books.map { book in
                    Record(
                        id: book.id, title: book.title,
                        image: book.cover.map { cover in
                            ImageReference(
                                components: [
                                    "catalog", "authors", author.id, "books", book.id, "cover",
                                ], mediaType: cover.mediaType.rawValue)
                        })
                })
        }
        self.init(levels: [authors, books], records: records)
    }
}
