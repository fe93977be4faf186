extension StoryboardRoutes {
    static let descriptions = [
        RouteDescription(
            .get, "/v1/storyboard", .catalog,
            "The scenes of the app, and the scene at which sessions start",
            """
            The response has the form of the storyboard's file, with every member of each scene. \
            Texts keep their placeholders: `{author}` stands for the parameter, `{count}` for the \
            number of rows.
            """,
            answer: .json("Storyboard"), caching: .shared)
    ]
}

/// An app with data of its own has none of these routes (`.notFound`).
extension CatalogRoutes {
    static let descriptions: [RouteDescription] = [
        RouteDescription(
            .get, "/v1/catalog/authors", .catalog,
            "The authors, in the order of the catalog's file",
            answer: .page(of: "AuthorSummary"), caching: .shared, problems: [.notFound]),
        RouteDescription(
            .get, "/v1/catalog/authors/{author}", .catalog, "One author with the books",
            answer: .json("Author"), caching: .shared, problems: [.notFound, .authorNotFound]),
        RouteDescription(
            .get, "/v1/catalog/authors/{author}/books/{book}", .catalog, "One book",
            answer: .json("Book"), caching: .shared,
            problems: [.notFound, .authorNotFound, .bookNotFound]),
        RouteDescription(
            .get, "/v1/catalog/authors/{author}/books/{book}/cover", .catalog,
            "The picture on the book's cover",
            parameters: ["Range", "IfRange"], answer: ImageRoutes.picture, caching: .shared,
            problems: [
                .notFound, .authorNotFound, .bookNotFound, .coverNotFound, .rangeNotSatisfiable,
            ]),
    ]
}

extension ImageRoutes {
    /// A picture, of which a client can ask for a range of bytes.
    fileprivate static let picture = RouteDescription.Answer.content(
        "image/png", "image/jpeg", "image/gif", "image/webp",
        headers: ["AcceptRanges", "NoSniff"])

    static let descriptions = [
        RouteDescription(
            .get, "/v1/images/{image}", .catalog, "A picture of the storyboard's own data",
            "The service sends only files that the data names. The built-in Library has none.",
            parameters: ["Range", "IfRange"], answer: picture, caching: .shared,
            problems: [.imageNotFound, .rangeNotSatisfiable])
    ]
}
