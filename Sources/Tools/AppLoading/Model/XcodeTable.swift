/// The table view or collection view of a scene.
package struct XcodeTable: Sendable, Equatable {
    /// A cell: a row of a static table, or a prototype from which code creates rows.
    package struct Cell: Sendable, Equatable {
        package let id: String
        /// The text of the cell's first label that has a text; nil if there is none.
        package let title: String?
        package let subtitle: String?
    }

    /// Whether the cells are the rows of a static table; otherwise, they are prototypes.
    package let isStatic: Bool
    package let cells: [Cell]

    private static let kinds: Set<String> = ["tableView", "collectionView"]

    init?(in controller: XMLNode) {
        guard let view = controller.first(where: { Self.kinds.contains($0.name) }) else {
            return nil
        }
        isStatic = view["dataMode"] == "static"
        var cells: [Cell] = []
        Self.collect(from: view, into: &cells)
        self.cells = cells
    }

    private static func collect(from node: XMLNode, into cells: inout [Cell]) {
        for child in node.children {
            if child.name == "tableViewCell" || child.name == "collectionViewCell" {
                guard let id = child["id"] else { continue }
                var labels: [String] = []
                collectLabels(from: child, into: &labels)
                cells.append(
                    Cell(
                        id: id, title: labels.first,
                        subtitle: labels.count > 1 ? labels[1] : nil))
            } else {
                collect(from: child, into: &cells)
            }
        }
    }

    private static func collectLabels(from node: XMLNode, into labels: inout [String]) {
        if node.name == "label", let text = node.string("text") { labels.append(text) }
        for child in node.children { collectLabels(from: child, into: &labels) }
    }
}
