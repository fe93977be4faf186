import JSON

/// Draws the visible screen as text: the navigation bar, the rows and the bars at the bottom.
struct ScreenDrawing {
    static let maximumRows = 8

    /// The width of the drawing inside its frame, in characters.
    var width = 44

    func draw(_ driver: any FlowDriver) async throws -> String {
        let session = try await driver.session()
        let screen = try await driver.screen(limit: Self.maximumRows)
        return draw(session, screen)
    }

    func draw(_ session: JSONValue, _ screen: JSONValue) -> String {
        var lines = ["┌" + rule + "┐"]
        if let bar = session["navigationBar"], bar != .null {
            let back = bar["backButton"]?["title"]?.text.map { "‹ \($0)" }
            let left = [back].compactMap(\.self) + texts(bar["leftItems"])
            lines.append(
                row(
                    left.joined(separator: "  "), bar["title"]?.text ?? "",
                    texts(bar["rightItems"]).joined(separator: "  ")))
            lines.append("├" + rule + "┤")
        }
        if session["navigationBar"]?["titleView"]?.text == "segmentedControl",
            let control = session["segmentedControl"]
        {
            lines.append(row(items(control, "segments"), "", ""))
            lines.append("├" + rule + "┤")
        }
        lines += content(session, screen).map { row($0.left, "", $0.right) }
        let bottom = [
            session["bottomBar"]?["isHidden"]?.flag == false
                ? session["bottomBar"]?["text"]?.text : nil,
            session["toolbar"]?["isHidden"]?.flag == false
                ? texts(session["toolbar"]?["items"]).joined(separator: "  ") : nil,
            session["tabBar"]?["isHidden"]?.flag == false
                ? session["tabBar"].map { items($0, "items") } : nil,
        ].compactMap(\.self)
        for text in bottom {
            lines.append("├" + rule + "┤")
            lines.append(row(text, "", ""))
        }
        lines.append("└" + rule + "┘")
        return lines.joined(separator: "\n")
    }

    private func content(
        _ session: JSONValue, _ screen: JSONValue
    ) -> [(left: String, right: String)] {
        var lines: [(String, String)] = []
        switch screen["kind"]?.text {
        case "table":
            let rows = screen["rows"]?.elements ?? []
            lines = rows.map { ($0["title"]?.text ?? "", $0["subtitle"]?.text ?? "") }
            let count = screen["numberOfRows"]?.number ?? rows.count
            if count > rows.count { lines.append(("… \(count - rows.count) more rows", "")) }
            if count == 0 { lines.append(("(no rows)", "")) }
        case "image": lines.append(("[ \(screen["image"]?["url"]?.text ?? "no image") ]", ""))
        case "form": lines.append(("(form)", ""))
        default: lines.append(("", ""))
        }
        let taps = screen["taps"]?.elements ?? []
        for tap in taps where tap["place"]?.text == "button" {
            lines.append(("( \(tap["title"]?.text ?? "") )", ""))
        }
        return lines
    }

    /// Returns the titles of a bar's items on one line. The selected title is in brackets.
    /// - Parameter name: the name of the JSON member that lists the items.
    private func items(_ bar: JSONValue, _ name: String) -> String {
        let selected = bar["selectedIndex"]?.number
        return (bar[name]?.elements ?? []).enumerated().map { index, item in
            let title = item["title"]?.text ?? ""
            return index == selected ? "[\(title)]" : " \(title) "
        }.joined(separator: " ")
    }

    private func texts(_ value: JSONValue?) -> [String] { value?.texts ?? [] }

    private var rule: String { String(repeating: "─", count: width) }

    private func row(_ left: String, _ middle: String, _ right: String) -> String {
        let room = width - 2
        let right = cut(right, to: room / 2)
        let left = cut(left, to: room - right.count - (right.isEmpty ? 0 : 1))
        var line = left + String(repeating: " ", count: room - left.count - right.count) + right
        let start = left.isEmpty ? 0 : left.count + 2
        let end = right.isEmpty ? room : room - right.count - 2
        if !middle.isEmpty, end > start {
            let text = cut(middle, to: end - start)
            let offset = max(start, min((room - text.count) / 2, end - text.count))
            var characters = Array(line)
            characters.replaceSubrange(offset..<offset + text.count, with: Array(text))
            line = String(characters)
        }
        return "│ \(line) │"
    }

    private func cut(_ text: String, to count: Int) -> String {
        text.count <= count ? text : String(text.prefix(max(0, count - 1))) + (count > 0 ? "…" : "")
    }
}
