import JSON
import Navigation

extension JSONWriter {
    /// The members that tell what kind of screen this is, and how large.
    mutating func screenMembers(_ screen: Screen) {
        switch screen {
        case .table(let numberOfRows):
            member("kind", text: "table")
            member("numberOfSections", 1)
            name("numberOfRows")
            array(CollectionOfOne(numberOfRows)) { $0.integer($1) }
        case .image(let image):
            member("kind", text: "image")
            name("image")
            imageReference(image)
        case .form: member("kind", text: "form")
        case .blank: member("kind", text: "blank")
        }
    }

    private mutating func imageReference(_ image: ImageReference?) {
        guard let image else { return null() }
        object { json in
            json.member("url", DataPath.url(image.components))
            json.member("mediaType", image.mediaType)
        }
    }

    mutating func rows(_ rows: [Row], from offset: Int) {
        array(rows.enumerated()) { json, entry in
            let (index, row) = entry
            json.object { json in
                json.member("section", 0)
                json.member("row", offset + index)
                json.member("title", row.title)
                json.member("subtitle", row.subtitle)
                json.name("parameters")
                json.object { json in
                    for (name, value) in row.parameters.sorted(by: { $0.key < $1.key }) {
                        json.name(escaping: name)
                        json.string(value)
                    }
                }
            }
        }
    }
}
