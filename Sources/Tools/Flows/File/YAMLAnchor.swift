import Yams

/// An anchor in a YAML text, such as `&base`. An alias, such as `*base`, stands for a copy of the
/// value with the anchor. A text of a few hundred bytes can stand for gigabytes in this way, and so
/// the files that this program reads have no anchors.
package struct YAMLAnchor {
    package let name: String
    /// The line number. The first line is 1.
    package let line: Int
    /// The column number. The first column is 1.
    package let column: Int

    /// The description of the defect: the reason why the anchor is refused, and its correction.
    package var reason: String {
        "the anchor &\(name) is not allowed: write the value at each place that needs it"
    }

    /// Finds the first anchor in a text; nil if there is none. No alias is replaced by its value.
    /// - Throws: `YamlError` if the text is not YAML.
    package init?(in text: String) throws {
        guard text.contains("&") else { return nil }
        // The parser replaces each alias while it reads. In the text that it gets here, aliases are
        // words that begin with a character for private use, which is as wide as the asterisk.
        let parser = try Parser(yaml: text.replacing("*", with: "\u{E000}"))
        while let root = try parser.nextRoot() {
            for node in root.descendants {
                guard let anchor = node.anchor else { continue }
                name = anchor.rawValue
                line = node.mark?.line ?? 1
                column = node.mark?.column ?? 1
                return
            }
        }
        return nil
    }
}
