import Navigation
import PropertyLists

/// Makes records of a property list, and reports what is missing or ill-typed.
struct RecordDecoder {
    let levels: [RecordFile.Level]
    /// The folder of the pictures; nil if there are none.
    var images: ImageFolder?
    /// The pictures that records name, by file name.
    private(set) var served: [String: Cover] = [:]

    init(levels: [RecordFile.Level], images: ImageFolder?) {
        self.levels = levels
        self.images = images
    }

    mutating func records(from reader: PropertyListReader) -> [Record]? {
        records(from: reader, depth: 0)
    }

    private mutating func records(from reader: PropertyListReader, depth: Int) -> [Record]? {
        guard let entries = reader.array("an array of \(levels[depth].names.rows)") else {
            return nil
        }
        let drafts = entries.compactMap { draft(from: $0, depth: depth) }
        let ids = Identifiers.unique(
            for: drafts.map(\.title), orElse: levels[depth].names.each)
        return zip(ids, drafts).map { id, draft in
            Record(
                id: id, title: draft.title, subtitle: draft.subtitle, image: draft.image,
                children: draft.children)
        }
    }

    private mutating func draft(from reader: PropertyListReader, depth: Int) -> Record? {
        let level = levels[depth]
        guard let entry = reader.dictionary("a \(level.names.each) (a dictionary)") else {
            return nil
        }
        let title = entry[level.title].shownText()
        var subtitle = level.subtitle.flatMap { entry[$0].ifPresent?.label() }
        var children: [Record] = []
        if let key = level.children {
            children = records(from: entry[key], depth: depth + 1) ?? []
            subtitle = subtitle ?? levels[depth + 1].names.counted(children.count)
        }
        let picture = level.image.flatMap { entry[$0].ifPresent }.flatMap { image($0) }
        guard let title else { return nil }
        // The id depends on all siblings: it comes later.
        return Record(id: "", title: title, subtitle: subtitle, image: picture, children: children)
    }

    private mutating func image(_ reader: PropertyListReader) -> ImageReference? {
        guard let images else {
            reader.reportDefect("the storyboard's data names no folder of images")
            return nil
        }
        guard let image = reader.image(in: images) else { return nil }
        served[image.fileName] = image
        return ImageReference(
            components: ["images", image.fileName], mediaType: image.mediaType.rawValue)
    }
}

extension RecordLevel {
    /// `1 book`, `5 books`.
    func counted(_ number: Int) -> String { number == 1 ? "1 \(each)" : "\(number) \(rows)" }
}

extension PropertyListReader {
    /// A string that shows something: it becomes a row of a table.
    func shownText() -> String? {
        guard let text = string() else { return nil }
        guard !text.allSatisfy(\.isWhitespace) else {
            reportDefect("empty; expected a text to show")
            return nil
        }
        return text
    }

    /// A string, or a number as a string.
    func label() -> String? {
        number.map(String.init) ?? string()
    }

    /// An image of the folder. One that is missing is a warning, one outside is a defect.
    func image(in folder: ImageFolder) -> Cover? {
        guard let name = string() else { return nil }
        switch folder.cover(named: name) {
        case .cover(let cover): return cover
        case .unavailable(let reason): reportWarning(reason)
        case .refused(let reason): reportDefect(reason)
        }
        return nil
    }
}
