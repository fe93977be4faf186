/// What the top view controller shows.
public enum Screen: Sendable, Equatable {
    case table(numberOfRows: [Int])
    case image(ImageReference?)
    case form
    case blank
}

extension Window {
    public func screen(in app: App) -> Screen {
        let top = topViewController
        switch top.scene.kind {
        case .table: return .table(numberOfRows: [numberOfRows(in: app)])
        case .image:
            return .image(top.scene.image.flatMap { app.dataSource.image($0, top.parameters) })
        case .form: return .form
        case .blank, .navigation, .tabBar: return .blank
        }
    }

    /// The rows of the top's only section; 0 where it shows none.
    func numberOfRows(in app: App) -> Int {
        let top = topViewController
        return top.scene.rows.flatMap { app.dataSource.numberOfRows(in: $0, top.parameters) } ?? 0
    }

    /// The rows of the top's only section that lie in `range`; the part of it that there is.
    public func rows(_ range: Range<Int>, in app: App) -> [Row] {
        let top = topViewController
        guard let binding = top.scene.rows else { return [] }
        return range.clamped(to: 0..<numberOfRows(in: app)).compactMap {
            app.dataSource.row($0, of: binding, top.parameters)
        }
    }
}
