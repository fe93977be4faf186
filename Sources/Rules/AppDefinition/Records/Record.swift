import NavigationRules

/// An entry of the data that an app's scenes show, such as an author, a book or a recipe.
struct Record: Sendable {
    /// The id, which is unique among the records with the same parent.
    private(set) var id: String
    let title: String
    let subtitle: String?
    let image: ImageReference?
    /// The records below this record, such as the books of an author; empty if there are none.
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

    /// Returns the child with this id in constant time; nil if no child has this id.
    func child(withID id: String) -> Record? { index[id].map { children[$0] } }

    /// Returns a copy of this record with another id.
    func withID(_ id: String) -> Record {
        var record = self
        record.id = id
        return record
    }
}
