import JSON
import Navigation

extension JSONWriter {
    /// Writes the kind of the screen, and the number of rows of a table or the reference to an image.
    mutating func screenMembers(_ screen: Screen) {
        switch screen {
        case .table(let numberOfRows):
            member("kind", text: "table")
            member("numberOfRows", numberOfRows)
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
            json.member("url", CatalogURL.url(image.components))
            json.member("mediaType", image.mediaType)
        }
    }

    /// Writes those rows in `range` that exist.
    mutating func rows(
        _ range: Range<Int>, of viewController: ViewController, in app: App, _ encoded: EncodedRows
    ) {
        if let rows = encoded[viewController.scene]?.rows {
            array(rows[range.clamped(to: rows.indices)]) { $0.element($1) }
        } else {
            let rows = app.rows(range, of: viewController)
            array(rows.indices) { $0.row(rows[$1], at: range.lowerBound + $1) }
        }
    }

    /// Writes the member `taps`: everything that the user can tap outside the rows of the table,
    /// and what the user can tap in the rows in `range`.
    mutating func taps(
        of window: Window, rows range: Range<Int>, in app: App, _ encoded: EncodedRows
    ) {
        let top = window.topViewController
        let (above, below) = window.tapsAroundRows(in: app)
        let known = window.isBare ? nil : encoded[top.scene]?.taps
        let rows = known == nil ? app.rowTaps(range, of: top, isBare: window.isBare) : []
        name("taps")
        array(
            above.map(Self.encoded)
                + (known.map { Array($0[range.clamped(to: $0.indices)]) } ?? rows.map(Self.encoded))
                + below.map(Self.encoded)
        ) { $0.element($1) }
    }

    fileprivate static func encoded(_ tap: Tap) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.object { json in
            json.member("place", tap.place.rawValue)
            json.member("title", tap.title)
            json.member("index", tap.index)
            if let segue = tap.segue { json.member("segue", segue) }
        }
        return json.bytes
    }

    fileprivate mutating func row(_ row: Row, at index: Int) {
        object { json in
            json.member("row", index)
            json.member("title", row.title)
            json.member("subtitle", row.subtitle)
            json.parameters(row.parameters)
        }
    }

    mutating func parameters(_ parameters: Parameters) {
        name("parameters")
        object { json in
            for (name, value) in zip(parameters.names, parameters.values) {
                json.name(escaping: name)
                json.string(value)
            }
        }
    }
}

/// The rows and taps of the tables without parameters, encoded once, when the app is loaded.
/// Otherwise their encoding would be most of the work for each response that shows a screen.
struct EncodedRows: Sendable {
    struct Table: Sendable {
        let rows: [[UInt8]]
        /// The taps of the rows, if each row has exactly one tap, which selects the row. Empty if
        /// no row has a tap; nil in all other cases.
        let taps: [[UInt8]]?
    }

    private static let maximumRows = 1000

    private let scenes: [Scene.Name: Table]

    init(_ app: App) {
        scenes = app.storyboard.scenes.compactMapValues { scene in
            guard let table = app.prototype(of: scene), case .table(let count) = table.screen,
                count <= Self.maximumRows
            else { return nil }
            let rows = app.rows(0..<count, of: table)
            let taps = app.rowTaps(0..<count, of: table)
            let isOneForEachRow = taps.count == count && taps.allSatisfy { $0.place == .row }
            return Table(
                rows: rows.indices.map { index in
                    var json = JSONWriter(capacity: 256)
                    json.row(rows[index], at: index)
                    return json.bytes
                },
                taps: taps.isEmpty || isOneForEachRow ? taps.map(JSONWriter.encoded) : nil)
        }
    }

    /// The encoded rows of a scene; nil if the scene is no table, has parameters or has more than
    /// `maximumRows` rows.
    subscript(scene: Scene) -> Table? { scenes[scene.name] }
}
