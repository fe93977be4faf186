import Navigation
import PropertyLists

/// Decodes records from a property list, and reports missing and ill-typed values.
struct RecordDecoder {
    let levels: [RecordFile.Level]
    /// The folder of the images; nil if there are none.
    var images: ImageFolder?
    /// The images that records refer to, by file name.
    private(set) var served: [String: Cover] = [:]

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
        // The id is added later, because it depends on all siblings.
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
    /// Returns a number with its noun: `1 book`, `5 books`.
    func counted(_ number: Int) -> String { number == 1 ? "1 \(each)" : "\(number) \(rows)" }
}

extension PropertyListReader {
    /// Returns a string that is not blank, because it becomes a row of a table.
    func shownText() -> String? {
        guard let text = string() else { return nil }
        guard !text.allSatisfy(\.isWhitespace) else {
            reportDefect("empty; expected a text to show")
            return nil
        }
        return text
    }

    /// Returns a string, or a number converted to a string.
    func label() -> String? {
        number.map(String.init) ?? string()
    }

    /// Returns an image of the folder. Reports a warning for a missing file, and a defect for a
    /// file outside the folder.
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
