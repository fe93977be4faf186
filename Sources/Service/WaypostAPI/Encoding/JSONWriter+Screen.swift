import JSON
import NavigationRules

extension JSONWriter {
    /// Writes the visible screen: its top view controller, its content, and the controls that the
    /// user can tap.
    /// - Parameters:
    ///   - screen: the screen of the window.
    ///   - range: the indices of the rows of a table to include.
    ///   - next: the `after` of the following page of rows; nil if no row follows.
    ///   - encoded: the rows that are already encoded as JSON.
    mutating func screen(
        _ screen: Screen, of window: Window, rows range: Range<Int>, next: String?, in app: App,
        _ encoded: EncodedRows
    ) {
        let top = window.topViewController
        object { json in
            json.member("viewController", "vc", top.id.number)
            json.member("scene", top.scene.name)
            json.member("title", top.effectiveTitle)
            json.screenMembers(screen)
            if case .table = screen {
                json.name("rows")
                json.rows(range, of: window, in: app, encoded)
                json.member("next", next)
            }
            if screen == .form { json.formMembers(of: top.scene) }
            json.taps(of: window, rows: range, in: app, encoded)
        }
    }

    /// Writes the members of a form: the operation that submits the form, and its input fields.
    private mutating func formMembers(of scene: Scene) {
        member("submit", scene.submit?.rawValue)
        let fields: KeyValuePairs =
            scene.submit == nil ? [:] : ["username": "text", "password": "password"]
        objects("fields", fields) { json, field in
            json.member("name", field.key)
            json.member("type", field.value)
        }
    }

    /// Writes the members that describe a screen: the kind; for a table, also the number of rows;
    /// for an image, also its URL and media type.
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

    /// Writes an array of the rows of the visible table whose indices are in `range`. Indices after
    /// the last row are ignored.
    /// - Parameter encoded: the rows that are already encoded as JSON.
    mutating func rows(
        _ range: Range<Int>, of window: Window, in app: App, _ encoded: EncodedRows
    ) {
        if let rows = encoded[window.topViewController.scene]?.rows {
            array(rows[range.clamped(to: rows.indices)]) { $0.element($1) }
        } else {
            let rows = window.rows(range, in: app)
            array(rows.indices) { $0.row(rows[$1], at: range.lowerBound + $1) }
        }
    }

    /// Writes the member `taps`, the list of the controls that the user can tap: all controls
    /// outside the table, and the controls in the rows whose indices are in `range`.
    mutating func taps(
        of window: Window, rows range: Range<Int>, in app: App, _ encoded: EncodedRows
    ) {
        let top = window.topViewController
        let (above, below) = window.tapsAroundRows(in: app)
        let known = window.isBare ? nil : encoded[top.scene]?.taps
        let rows = known == nil ? window.rowTaps(range, in: app) : []
        name("taps")
        array { json in
            for tap in above { json.tap(tap) }
            if let known {
                for tap in known[range.clamped(to: known.indices)] { json.element(tap) }
            } else {
                for tap in rows { json.tap(tap) }
            }
            for tap in below { json.tap(tap) }
        }
    }

    fileprivate static func encoded(_ tap: Tap) -> [UInt8] {
        bytes(capacity: 256) { $0.tap(tap) }
    }

    private mutating func tap(_ tap: Tap) {
        object { json in
            json.member("place", tap.place.rawValue)
            json.member("title", tap.title)
            json.member("index", tap.index)
            if let segue = tap.segue { json.member("segue", segue) }
        }
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
        object("parameters") { json in
            for (name, value) in zip(parameters.names, parameters.values) {
                json.name(escaping: name)
                json.string(value)
            }
        }
    }
}

/// The rows of tables, and the controls in the rows that the user can tap, as JSON. The type
/// encodes them once, when the app is loaded. Encoding them for each response would take most of
/// the time of the responses that show a screen. The table of a scene with parameters is not
/// included, because the parameters can change the contents, and neither is one with conditions,
/// which change the rows.
struct EncodedRows: Sendable {
    struct Table: Sendable {
        let rows: [[UInt8]]
        /// One tappable control for each row, as JSON, if every row has exactly one such control
        /// and a tap on it selects the row. Empty if no row has a tappable control; nil in all
        /// other cases.
        let taps: [[UInt8]]?
    }

    private static let maximumRows = 1000

    private let scenes: [Scene.Name: Table]

    init(_ app: App) {
        scenes = app.storyboard.scenes.compactMapValues { scene in
            guard !scene.hasConditions, let table = app.prototype(of: scene),
                case .table(let count) = table.screen,
                count <= Self.maximumRows
            else { return nil }
            let rows = app.rows(0..<count, of: table, fixed: scene.fixedRows)
            let taps = app.rowTaps(0..<count, of: table, fixed: scene.fixedRows)
            let isOneForEachRow = taps.count == count && taps.allSatisfy { $0.place == .row }
            return Table(
                rows: rows.indices.map { index in
                    JSONWriter.bytes(capacity: 256) { $0.row(rows[index], at: index) }
                },
                taps: taps.isEmpty || isOneForEachRow ? taps.map(JSONWriter.encoded) : nil)
        }
    }

    /// The encoded rows of a scene; nil if the scene shows no table, has parameters or conditions,
    /// or has more than `maximumRows` rows.
    subscript(scene: Scene) -> Table? { scenes[scene.name] }
}
