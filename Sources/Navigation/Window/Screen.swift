/// The content that a view controller shows.
public enum Screen: Sendable, Equatable {
    /// A table; it has 0 rows if it has neither fixed rows nor a binding to data.
    case table(numberOfRows: Int)
    case image(ImageReference?)
    case form
    case blank

    init(_ scene: Scene, _ parameters: Parameters, _ dataSource: any DataSource) {
        switch scene.kind {
        case .table:
            let count =
                scene.fixedRows?.count
                ?? scene.rows.flatMap { dataSource.numberOfRows(in: $0, parameters) }
            self = .table(numberOfRows: count ?? 0)
        case .image: self = .image(scene.image.flatMap { dataSource.image($0, parameters) })
        case .form: self = .form
        case .blank, .navigation, .tabBar: self = .blank
        }
    }
}

extension Window {
    public var screen: Screen { topViewController.screen }
}

extension ViewController {
    /// The number of rows of a table; 0 for any other screen.
    var numberOfRows: Int {
        if case .table(let count) = screen { count } else { 0 }
    }
}

extension App {
    /// Returns the rows of a view controller within `range`, which may extend beyond the last row.
    public func rows(_ range: Range<Int>, of viewController: ViewController) -> [Row] {
        guard case .table(let count) = viewController.screen else { return [] }
        if let rows = viewController.scene.fixedRows {
            return rows[range.clamped(to: 0..<count)].map {
                Row(title: $0.title, subtitle: $0.subtitle, parameters: .none)
            }
        }
        guard let binding = viewController.scene.rows else { return [] }
        return range.clamped(to: 0..<count).compactMap {
            dataSource.row($0, of: binding, viewController.parameters)
        }
    }
}
