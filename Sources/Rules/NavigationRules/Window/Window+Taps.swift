/// A control that the user can tap on the current screen, such as a bar item, a row or a tab.
public struct Tap: Sendable, Equatable {
    public enum Place: String, Sendable, CaseIterable {
        case leftItem, backButton, segment, rightItem, row, accessory, button, toolbarItem, tab

        /// Whether the controls in this place are rows, or belong to rows.
        var isInRows: Bool { self == .row || self == .accessory }
    }

    public let place: Place
    public let title: String
    /// The index of the control among all controls in the same `place`, counted from 0. For a row
    /// and for its accessory button, this is the index of the row in the table.
    public let index: Int
    /// The identifier of the segue that the tap performs; nil if the tap performs no segue.
    public let segue: String?
    /// The flags that the tap sets before it performs the segue, with their new values.
    public let sets: [String: Bool]

    init(
        _ place: Place, _ title: String, _ index: Int, segue: String? = nil,
        sets: [String: Bool] = [:]
    ) {
        self.place = place
        self.title = title
        self.index = index
        self.segue = segue
        self.sets = sets
    }
}

extension Window {
    /// Returns the controls that the user can tap on the current screen, from top to bottom.
    public func taps(in app: App) -> [Tap] {
        let (above, below) = tapsAroundRows(in: app)
        return above + rowTaps(0..<numberOfRows(of: topViewController), in: app) + below
    }

    /// Returns the controls that the user can tap above the table rows, and those below the rows.
    /// `above` contains the items of the navigation bar. `below` contains the buttons, the toolbar
    /// items and the tabs.
    public func tapsAroundRows(in app: App) -> (above: [Tap], below: [Tap]) {
        let top = topViewController
        let controls = top.scene.controls
        var taps: [Tap] = []
        func add(_ items: [String], _ controls: [Control], _ place: Tap.Place) {
            var count = 0
            for (index, title) in items.enumerated() {
                let control: Control? = index < controls.count ? controls[index] : nil
                guard holds(control?.when) else { continue }
                taps.append(
                    Tap(place, title, count, segue: control?.segue, sets: control?.sets ?? [:]))
                count += 1
            }
        }
        if !isBare {
            let item = top.navigationItem
            let changes = top.changes.navigationItem
            // Items that a client has set have no segues.
            add(item.leftItems, changes.leftItems == nil ? controls.leftItems : [], .leftItem)
            if let backButton { taps.append(Tap(.backButton, backButton.title, 0)) }
            if titleView == .segmentedControl {
                let titles = app.storyboard.segments.indices.map {
                    segmentTitle($0, in: app) ?? ""
                }
                add(titles, [], .segment)
            }
            add(item.rightItems, changes.rightItems == nil ? controls.rightItems : [], .rightItem)
        }
        let above = taps
        taps = []
        add(controls.buttons.map(\.title), controls.buttons, .button)
        if !toolbar.isHidden {
            add(
                top.toolbarItems,
                top.changes.toolbarItems == nil ? controls.toolbarItems : [], .toolbarItem)
        }
        if let tabBar, !tabBar.isHidden {
            let items = isStrict ? tabBar.items.prefix(TabBar.maximumItems) : tabBar.items[...]
            add(items.map { $0.title ?? "" }, [], .tab)
        }
        return (above, taps)
    }

    /// Returns the rows and the accessory buttons that the user can tap in the visible table. Only
    /// rows whose indices are in `range` are considered.
    public func rowTaps(_ range: Range<Int>, in app: App) -> [Tap] {
        let table = topViewController
        return app.rowTaps(range, of: table, fixed: fixedRows(of: table.scene), isBare: isBare)
    }

    /// Returns the rows with a title, and their accessory buttons, that the user can tap in the
    /// visible table. The other rows are not read.
    func rowTaps(titled title: String, in app: App) -> [Tap] {
        let table = topViewController
        let fixed = fixedRows(of: table.scene)
        let indices =
            if let fixed {
                fixed.indices.filter { fixed[$0].title == title }
            } else if let binding = table.scene.rows {
                app.dataSource.indices(ofRowsTitled: title, in: binding, table.parameters)
            } else {
                [Int]()
            }
        return indices.flatMap {
            app.rowTaps($0..<($0 + 1), of: table, fixed: fixed, isBare: isBare)
        }
    }

    /// Returns whether the user can tap a control that performs a segue.
    func hasTap(performing segue: String, in app: App) -> Bool {
        let scene = topViewController.scene
        // All rows of the data source perform the same segue.
        let rows = scene.fixedRows == nil ? 1 : numberOfRows(of: topViewController)
        let (above, below) = tapsAroundRows(in: app)
        return (above + below + rowTaps(0..<rows, in: app)).contains { $0.segue == segue }
    }
}

/// Returns the candidates that are most similar to `text`: at most three, the most similar first.
/// The distance of a candidate is the number of characters to insert, delete or replace to turn the
/// candidate into `text`, regardless of upper and lower case. A candidate is returned only if its
/// distance is at most 2 or, for a text of more than 8 characters, at most a third of its length.
/// Only the first 64 characters of each text and the first 1,000 candidates are considered.
public func nearest(to text: String, among candidates: [String]) -> [String] {
    let text = Array(text.lowercased().unicodeScalars.prefix(64))
    let limit = max(2, text.count / 3)
    var seen: Set<String> = []
    return candidates.prefix(1000).filter { seen.insert($0).inserted }
        .map { ($0, distance(text, Array($0.lowercased().unicodeScalars.prefix(64)))) }
        .filter { $0.1 <= limit }
        .sorted { $0.1 < $1.1 }
        .prefix(3).map(\.0)
}

/// Returns the part of an error message that suggests the names similar to a wrong one, such as
/// `did you mean books or boxes?`; nil if no name is similar.
public func didYouMean(_ name: String, among names: [String]) -> String? {
    let near = nearest(to: name, among: names)
    return near.isEmpty ? nil : "did you mean \(near.joined(separator: " or "))?"
}

/// Returns the Levenshtein distance of two texts: the minimum number of insertions, deletions and
/// replacements of characters that turn one text into the other.
private func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var row = Array(0...other.count)
    for (i, a) in one.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in other.enumerated() {
            let replaced = diagonal + (a == b ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
        }
    }
    return row[other.count]
}

extension App {
    /// Returns the rows and the accessory buttons that the user can tap in a table. Only rows whose
    /// indices are in `range` are considered.
    /// - Parameters:
    ///   - fixed: the fixed rows that the table has; nil if its scene lists no rows.
    ///   - isBare: whether the table is in no navigation controller. A tap on a row then cannot
    ///     push the scene that the table names in `select`.
    public func rowTaps(
        _ range: Range<Int>, of table: ViewController, fixed: [FixedRow]?, isBare: Bool = false
    ) -> [Tap] {
        if let fixed {
            return range.clamped(to: fixed.indices).flatMap { index in
                let row = fixed[index]
                return [
                    row.isSelectable
                        ? Tap(.row, row.title, index, segue: row.segue, sets: row.sets) : nil,
                    row.accessorySegue.map { Tap(.accessory, row.title, index, segue: $0) },
                ].compactMap(\.self)
            }
        }
        let scene = table.scene
        guard scene.select != nil && !isBare || scene.selectSegue != nil else { return [] }
        let rows = rows(range, of: table, fixed: nil)
        return rows.enumerated().map {
            Tap(.row, $1.title, range.lowerBound + $0, segue: scene.selectSegue)
        }
    }
}
