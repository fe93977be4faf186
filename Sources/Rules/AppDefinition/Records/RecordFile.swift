import Foundation
import JSON
import NavigationRules

/// Describes a file with an app's own data, such as courses and their recipes. The file contains
/// nested dictionaries, in JSON or as a property list. The description says which keys of these
/// dictionaries have the values that the scenes show.
///
/// The member `data` of a storyboard is such a description, or an array of them:
///
///     { "file": "Recipes.plist", "images": "Photos",
///       "levels": [
///         { "rows": "courses", "each": "course", "title": "Course", "children": "Recipes" },
///         { "rows": "recipes", "each": "recipe", "title": "Name", "subtitle": "Minutes",
///           "image": "photo", "imageKey": "Photo" } ] }
struct RecordFile {
    struct Level {
        let names: RecordLevel
        /// The key of the id in the dictionary of a record; nil if ids are derived from titles. The
        /// properties from `title` to `children` are the keys of other values.
        let id: String?
        let title: String
        let subtitle: String?
        let image: String?
        let children: String?
    }

    let path: String
    /// The key of the array of records, if the file is a dictionary; nil if the file is an array.
    let key: String?
    let imagesPath: String?
    /// The folder at `imagesPath`; nil if no folder is there, which is a reported defect.
    let images: ImageFolder?
    let levels: [Level]

    /// Decodes the member `data` of a storyboard.
    /// - Parameter file: the path of the file to whose folder the paths in the descriptions are
    ///   relative.
    /// - Returns: the usable descriptions. All defects are reported to `reader`.
    static func files(from reader: PropertyListReader, namedIn file: String) -> [RecordFile] {
        let readers = reader.isArray ? reader.array() ?? [] : [reader]
        if readers.isEmpty { reader.reportDefect("expected one hierarchy at least") }
        let files = readers.compactMap { RecordFile(from: $0, namedIn: file) }
        let place = reader.isArray ? reader : reader.member("levels") ?? reader
        checkNamesDiffer(files.flatMap(\.levels), place)
        return files
    }

    private init?(from reader: PropertyListReader, namedIn base: String) {
        guard let members = reader.dictionary() else { return nil }
        members.refuseKeys(besides: ["file", "key", "images", "levels"])
        let file = members["file"].string()
        key = members["key"].ifPresent?.string()
        imagesPath = members["images"].ifPresent?.string().map { $0.inFolder(of: base) }
        images = imagesPath.flatMap { ImageFolder(path: $0, kind: "images") }
        if let imagesPath, images == nil {
            members["images"].reportDefect("there is no images folder \(imagesPath)")
        }
        let readers = members["levels"].array("an array of levels") ?? []
        if readers.isEmpty { members["levels"].reportDefect("expected one level at least") }
        levels = readers.enumerated().compactMap { depth, reader in
            Self.level(from: reader, isLast: depth == readers.count - 1)
        }
        guard let file, !levels.isEmpty, levels.count == readers.count else { return nil }
        path = file.inFolder(of: base)
    }

    private static func level(from reader: PropertyListReader, isLast: Bool) -> Level? {
        guard let members = reader.dictionary() else { return nil }
        members.refuseKeys(besides: [
            "rows", "each", "id", "title", "subtitle", "image", "imageKey", "children",
        ])
        let rows = members["rows"].string()
        let each = members["each"].string()
        let title = members["title"].string()
        let image = members["image"].ifPresent?.string()
        let imageKey = members["imageKey"].ifPresent?.string()
        let children =
            isLast ? members["children"].ifPresent?.string() : members["children"].string()
        if isLast, children != nil {
            members["children"].reportDefect("the last level has no children: add a level for them")
        }
        if (image == nil) != (imageKey == nil) {
            members["image"].reportDefect("expected image and imageKey, or neither")
        }
        guard let rows, let each, let title else { return nil }
        return Level(
            names: RecordLevel(rows: rows, each: each, image: image),
            id: members["id"].ifPresent?.string(), title: title,
            subtitle: members["subtitle"].ifPresent?.string(), image: imageKey,
            children: isLast ? nil : children)
    }

    /// Reports a defect if two levels have the same name. Scenes refer to levels by name, and so
    /// the names must be unique.
    private static func checkNamesDiffer(_ levels: [Level], _ reader: PropertyListReader) {
        for names in [levels.map(\.names.rows), levels.map(\.names.each)]
        where Set(names).count < names.count {
            reader.reportDefect("two levels share a name: \(names.joined(separator: ", "))")
        }
    }

    // MARK: Reading the data

    /// The hierarchy with its levels but without records. Scenes are checked against this hierarchy
    /// if the data has defects.
    var withoutRecords: RecordHierarchy {
        RecordHierarchy(levels: levels.map(\.names), records: [])
    }

    /// Reads the file of the data. Blocks the thread until the file is read.
    /// - Parameter json: parses the file if it is JSON.
    /// - Returns: the records, and the images that they use, by file name.
    /// - Throws: all defects of the data.
    func read(
        _ json: JSONParser
    ) throws(UnusableFile) -> Decoded<(RecordHierarchy, images: [String: Cover])> {
        try Decoded(contentsOfFile: path, admittingJSON: json) { reader in
            var decoder = RecordDecoder(levels: levels, images: images)
            decoder.lacksFolder = imagesPath != nil && images == nil
            guard let records = records(in: reader).flatMap({ decoder.records(from: $0) }) else {
                return nil
            }
            let hierarchy = RecordHierarchy(levels: levels.map(\.names), records: records)
            return (hierarchy, decoder.served)
        }
    }

    /// Returns a reader for the array of records in the file. Reports a defect and returns nil if
    /// `key` is set but the file is not a dictionary, or if `key` is nil and the file is a
    /// dictionary.
    private func records(in reader: PropertyListReader) -> PropertyListReader? {
        guard let key else {
            if reader.isDictionary, let keys = reader.dictionary()?.keys {
                reader.reportDefect(
                    "expected an array of \(levels[0].names.rows), found a dictionary; name one of "
                        + "its keys with \"key\": \(keys.prefix(20).joined(separator: ", "))")
                return nil
            }
            return reader
        }
        return reader.dictionary("a dictionary with \(key)")?[key]
    }
}
