/// The kind and content of the screen that a view controller shows.
public enum Screen: Sendable, Equatable {
    /// A table. It has 0 rows if its scene declares no rows, neither fixed rows nor rows of the
    /// data source.
    case table(numberOfRows: Int)
    case image(ImageReference?)
    case form
    case blank

    init(_ scene: Scene, _ parameters: Parameters, _ dataSource: any DataSource) {
        switch scene.kind {
        case .table:
            self = .table(numberOfRows: scene.numberOfRows(parameters, from: dataSource) ?? 0)
        case .image: self = .image(scene.image.flatMap { dataSource.image($0, parameters) })
        case .form: self = .form
        case .blank, .navigation, .tabBar: self = .blank
        }
    }
}

extension Scene {
    /// Returns the number of rows in a table: the fixed rows, even if their conditions do not hold, or
    /// those of the data source; nil if the scene declares no rows, or the data source has none.
    func numberOfRows(_ parameters: Parameters, from dataSource: any DataSource) -> Int? {
        fixedRows?.count ?? rows.flatMap { dataSource.numberOfRows(in: $0, parameters) }
    }
}

extension Window {
    public var screen: Screen { screen(of: topViewController) }
}

extension App {
    /// Returns those rows of the view controller's table whose indices are in `range`. The range
    /// may extend beyond the last row. The result is empty if the view controller shows no table.
    /// - Parameter fixed: the fixed rows that the table has; nil if its scene lists no rows.
    public func rows(
        _ range: Range<Int>, of viewController: ViewController, fixed: [FixedRow]?
    ) -> [Row] {
        if let fixed {
            return fixed[range.clamped(to: fixed.indices)].map {
                Row(title: $0.title, subtitle: $0.subtitle, parameters: .none)
            }
        }
        guard case .table(let count) = viewController.screen,
            let binding = viewController.scene.rows
        else { return [] }
        return range.clamped(to: 0..<count).compactMap {
            dataSource.row($0, of: binding, viewController.parameters)
        }
    }
}
