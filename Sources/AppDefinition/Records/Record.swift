import Navigation

/// An entry of the data that an app's scenes show, such as an author, a book or a recipe.
struct Record: Sendable {
    /// An id that is unique among the record's siblings.
    private(set) var id: String
    let title: String
    let subtitle: String?
    let image: ImageReference?
    /// The records of the next level; empty on the last level.
    let children: [Record]
    private let index: [String: Int]

    /// Creates a record.
    /// - Precondition: no two children have the same id.
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

    /// Returns the child with this id, found in constant time; nil if there is none.
    func child(withID id: String) -> Record? { index[id].map { children[$0] } }

    /// Returns the record with another id.
    func withID(_ id: String) -> Record {
        var record = self
        record.id = id
        return record
    }
}
