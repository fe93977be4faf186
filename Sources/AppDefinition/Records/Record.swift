import Navigation

/// One entry of the data behind an app's scenes: an author, a book, a recipe.
struct Record: Sendable {
    /// Unique among its siblings.
    let id: String
    let title: String
    let subtitle: String?
    let image: ImageReference?
    /// The records of the next level; empty on the last one.
    let children: [Record]
    private let index: [String: Int]

    /// - Precondition: no two children share an id.
    init(
        id: String, title: String, subtitle: String? = nil, image: ImageReference? = nil,
        children: [Record] = []
    ) {
        self.id = id
        self.title = title
        self.subtitle = subtitle
        self.image = image
        self.children = children
        index = Dictionary(uniqueKeysWithValues: zip(children.map(\.id), children.indices))
    }

    /// Looks a child up in constant time.
    func child(withID id: String) -> Record? { index[id].map { children[$0] } }
}

/// The names of the records of one depth.
struct RecordLevel: Sendable, Equatable {
    /// All of them: `books`.
    let rows: String
    /// One of them, which is also the name of the parameter that stands for it: `book`.
    let each: String
    /// The name of a record's picture: `cover`; nil if there are none.
    let image: String?
}
