/// Draws the graph in columns. The leftmost column has the start scene, the log-in scene, the
/// scenes of the app's segmented control, and the scenes to which none of these leads. Each other
/// scene is one column to the right of the first scene that leads to it.
extension StoryboardGraph {
    private static let (boxWidth, boxHeight, gapX, gapY, margin) = (170, 46, 130, 26, 24)

    private struct Point {
        let x: Int
        let y: Int
    }

    var svg: String {
        let places = places
        let width = (places.values.map(\.x).max() ?? 0) + Self.boxWidth + Self.margin
        let height = (places.values.map(\.y).max() ?? 0) + Self.boxHeight + Self.margin
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)" "#
                + #"width="\#(width)" height="\#(height)" font-family="sans-serif" font-size="12">"#,
            "<title>\(name.escapedForXML)</title>",
            #"<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" "#
                + #"markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="dimgray"/></marker>"#
                + "</defs>",
            #"<rect width="100%" height="100%" fill="white"/>"#,
        ]
        for (index, edge) in edges.enumerated() {
            guard let from = places[edge.from], let to = places[edge.to] else { continue }
            lines.append(line(edge, from, to, index))
        }
        for node in nodes {
            guard let place = places[node.name] else { continue }
            lines.append(box(node, place))
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private var places: [String: Point] {
        var columns: [String: Int] = [:]
        var waiting = nodes.filter(\.isRoot).map(\.name)
        for name in waiting { columns[name] = 0 }
        while let name = waiting.first {
            waiting.removeFirst()
            for edge in edges
            where edge.from == name && !edge.kind.isReturn {
                guard columns[edge.to] == nil else { continue }
                columns[edge.to] = (columns[name] ?? 0) + 1
                waiting.append(edge.to)
            }
        }
        var counts: [Int: Int] = [:]
        var places: [String: Point] = [:]
        for node in nodes {
            let column = columns[node.name] ?? 0
            let row = counts[column, default: 0]
            counts[column] = row + 1
            places[node.name] = Point(
                x: Self.margin + column * (Self.boxWidth + Self.gapX),
                y: Self.margin + row * (Self.boxHeight + Self.gapY))
        }
        return places
    }

    private func color(_ isUsed: Bool?) -> String {
        isUsed.map { $0 ? "#17803d" : "#c22" } ?? "#666"
    }

    private func box(_ node: Node, _ place: Point) -> String {
        let fill = node.isLogin ? "#fff4d6" : "#f4f6fa"
        let width = node.isRoot ? 2.5 : 1
        var text =
            #"<rect x="\#(place.x)" y="\#(place.y)" width="\#(Self.boxWidth)" "#
            + #"height="\#(Self.boxHeight)" rx="8" fill="\#(fill)" "#
            + #"stroke="\#(color(node.isUsed))" stroke-width="\#(width)"/>"#
        let lines = label(of: node)
        for (index, line) in lines.enumerated() {
            let y = place.y + Self.boxHeight / 2 + 4 + (index * 2 - lines.count + 1) * 8
            text +=
                #"<text x="\#(place.x + Self.boxWidth / 2)" y="\#(y)" text-anchor="middle" "#
                + #"fill="\#(index == 0 ? "#111" : "#666")">\#(cut(line).escapedForXML)</text>"#
        }
        return text
    }

    private func cut(_ text: String) -> String {
        text.count <= 24 ? text : String(text.prefix(23)) + "…"
    }

    private func line(_ edge: Edge, _ from: Point, _ to: Point, _ index: Int) -> String {
        let isForward = to.x > from.x
        let start = Point(
            x: isForward ? from.x + Self.boxWidth : from.x + Self.boxWidth / 2,
            y: isForward ? from.y + Self.boxHeight / 2 : from.y + Self.boxHeight)
        let end = Point(
            x: isForward ? to.x : to.x + Self.boxWidth / 2,
            y: isForward ? to.y + Self.boxHeight / 2 : to.y + Self.boxHeight)
        let bend = isForward ? 0 : 24 + (index % 4) * 6
        let (one, two) =
            isForward
            ? (Point(x: start.x + 60, y: start.y), Point(x: end.x - 60, y: end.y))
            : (Point(x: start.x, y: start.y + bend), Point(x: end.x, y: end.y + bend))
        let dash =
            switch edge.kind {
            case let kind where kind.isReturn: #" stroke-dasharray="4 3""#
            case .present: #" stroke-width="2.5""#
            default: ""
            }
        let middle = Point(
            x: (start.x + 3 * one.x + 3 * two.x + end.x) / 8,
            y: (start.y + 3 * one.y + 3 * two.y + end.y) / 8 - 3)
        return
            #"<path d="M\#(start.x) \#(start.y)C\#(one.x) \#(one.y) \#(two.x) \#(two.y) "#
            + #"\#(end.x) \#(end.y)" fill="none" stroke="\#(color(edge.isUsed))"\#(dash) "#
            + #"marker-end="url(#arrow)"/><text x="\#(middle.x)" y="\#(middle.y)" "#
            + #"text-anchor="middle" font-size="10" fill="dimgray">\#(cut(edge.label).escapedForXML)"#
            + "</text>"
    }
}
