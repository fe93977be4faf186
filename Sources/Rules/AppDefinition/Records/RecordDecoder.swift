import NavigationRules

/// Decodes records, such as courses and their recipes, from nested dictionaries of a property list.
/// Reports values that are missing or have the wrong type.
struct RecordDecoder {
    let levels: [RecordFile.Level]
    /// The folder of the records' images; nil if the storyboard's data names no such folder.
    let images: ImageFolder?
    /// Whether the folder of images that the storyboard's data names does not exist.
    var lacksFolder = false
    /// The images that the decoded records use, by file name.
    private(set) var served: [String: Cover] = [:]
    /// The counts for each level of the hierarchy, such as courses and recipes. Warnings are based
    /// on these counts.
    private var statistics: [Statistics]

    private struct Statistics {
        var records = 0
        /// The number of records that have the key for a list of children.
        var parents = 0
        /// The number of records whose id has a suffix, because the title of an earlier sibling
        /// gives the same id.
        var suffixes = 0
        /// Whether a record has the key for a subtitle.
        var hasSubtitles = false
        /// The keys of the records, until one of them has the key for a subtitle.
        var keys: Set<String> = []
    }

    init(levels: [RecordFile.Level], images: ImageFolder? = nil) {
        self.levels = levels
        self.images = images
        statistics = levels.map { _ in Statistics() }
    }

    mutating func records(from reader: PropertyListReader) -> [Record]? {
        guard let records = records(from: reader, depth: 0) else { return nil }
        reportStatistics(reader)
        return records
    }

    private mutating func records(from reader: PropertyListReader, depth: Int) -> [Record]? {
        guard let entries = reader.array("an array of \(levels[depth].names.rows)") else {
            return nil
        }
        let decoded = entries.compactMap { record(from: $0, depth: depth) }
        guard levels[depth].id == nil else { return unique(decoded, depth: depth) }
        let titles = decoded.map(\.record.title)
        let each = levels[depth].names.each
        let ids = Identifiers.unique(for: titles, orElse: each)
        statistics[depth].suffixes += Identifiers.suffixes(of: titles, orElse: each)
        return zip(ids, decoded).map { id, entry in entry.record.withID(id) }
    }

    /// Returns the records without those whose id an earlier sibling already has. Reports a defect
    /// for each record that is left out.
    private func unique(
        _ decoded: [(record: Record, entry: PropertyListMembers)], depth: Int
    ) -> [Record] {
        var taken: Set<String> = []
        return decoded.compactMap { record, entry in
            if taken.insert(record.id).inserted { return record }
            entry[levels[depth].id ?? ""].reportDefect(
                "two \(levels[depth].names.rows) in the same list have the id \(record.id)")
            return nil
        }
    }

    /// Decodes a record with its children; returns nil if the entry has no usable title or id. If
    /// ids are derived from titles, the id of the result is empty, because the ids of siblings must
    /// be derived together.
    private mutating func record(
        from reader: PropertyListReader, depth: Int
    ) -> (record: Record, entry: PropertyListMembers)? {
        let level = levels[depth]
        guard let entry = reader.dictionary("a \(level.names.each) (a dictionary)") else {
            return nil
        }
        statistics[depth].records += 1
        let id = level.id.map { entry[$0].identifier() } ?? ""
        let title = entry[level.title].text()
        var subtitle = subtitle(of: entry, depth)
        var children: [Record] = []
        if let key = level.children {
            if let array = entry[key].ifPresent {
                statistics[depth].parents += 1
                children = records(from: array, depth: depth + 1) ?? []
            }
            subtitle = subtitle ?? levels[depth + 1].names.counted(children.count)
        }
        let picture = level.image.flatMap { entry[$0].ifPresent }.flatMap { image($0) }
        guard let title, let id else { return nil }
        let record = Record(
            id: id, title: title, subtitle: subtitle, image: picture, children: children)
        return (record, entry)
    }

    private mutating func subtitle(of entry: PropertyListMembers, _ depth: Int) -> String? {
        guard let key = levels[depth].subtitle else { return nil }
        if let value = entry[key].ifPresent {
            statistics[depth].hasSubtitles = true
            return value.scalar()
        }
        // A hundred records are enough for a suggestion.
        if !statistics[depth].hasSubtitles, statistics[depth].records <= 100 {
            statistics[depth].keys.formUnion(entry.keys)
        }
        return nil
    }

    private mutating func image(_ reader: PropertyListReader) -> ImageReference? {
        guard let images else {
            if !lacksFolder {
                reader.reportDefect("the storyboard's data names no folder of images")
            }
            return nil
        }
        guard let image = reader.image(in: images) else { return nil }
        served[image.fileName] = image
        return ImageReference(
            components: ["images", image.fileName], mediaType: image.mediaType.rawValue)
    }

    /// Reports a warning for each level whose records all lack the key for their children, because
    /// the key is probably misspelt, and a defect if they all lack the key for their subtitle. Also
    /// reports a warning if the titles of siblings give the same id, because their ids then depend
    /// on their order.
    private func reportStatistics(_ reader: PropertyListReader) {
        for (level, found) in zip(levels, statistics) where found.records > 0 {
            if let key = level.children, found.parents == 0 {
                reader.reportWarning("none of the \(level.names.rows) has the key \(key)")
            }
            if let key = level.subtitle, !found.hasSubtitles, !reader.fileHasDefects {
                let keys = found.keys.sorted()
                let advice =
                    didYouMean(key, among: keys)
                    ?? "they have \(keys.prefix(20).joined(separator: ", "))"
                reader.reportDefect(
                    "none of the \(level.names.rows) has the key \(key), which their level names as "
                        + "subtitle; \(advice)")
            }
            if found.suffixes > 0 {
                reader.reportWarning(
                    "\(level.names.counted(found.suffixes)) whose title gives the id of an earlier one in the "
                        + "same list: the ids depend on the order; name a key of ids with \"id\"")
            }
        }
    }
}

extension PropertyListReader {
    /// The maximum size of an id in bytes. Ids that are derived from titles have the same limit.
    private static let identifierSize = 80

    /// Returns the string at this place. Reports a defect and returns nil if there is no string, or
    /// if the string is blank.
    func shownText() -> String? { notBlank(string()) }

    /// Returns the string, number, boolean or date at this place as text. Reports a defect and
    /// returns nil if there is no such value, if a string is blank or longer than 10,000 bytes, or
    /// if a date is outside the years 1 to 9999.
    func text() -> String? { notBlank(scalar()) }

    private func notBlank(_ text: String?) -> String? {
        guard let text else { return nil }
        guard !text.allSatisfy(\.isWhitespace) else {
            reportDefect("empty; expected a text to show")
            return nil
        }
        return text
    }

    /// Returns the id of a record, which is the string, number, boolean or date at this place as
    /// text. Reports a defect and returns nil if there is no such value. Does the same if the text
    /// is empty, longer than 80 bytes, `.` or `..`, or if it contains a control character.
    func identifier() -> String? {
        guard let text = scalar() else { return nil }
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory == .control
        }
        guard (1...Self.identifierSize).contains(text.utf8.count), text != ".", text != "..",
            !text.unicodeScalars.contains(where: isControl)
        else {
            reportDefect(
                "expected an id of 1 to \(Self.identifierSize) bytes without control characters, "
                    + "and not . or ..")
            return nil
        }
        return text
    }

    /// Returns the image in `folder` whose file name is the string at this place. Returns nil if
    /// the image cannot be used. Reports a defect if there is no string, or if the name is invalid
    /// or leads out of the folder. Reports a warning if the file is missing, or if its type is not
    /// supported.
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
