import Testing

@testable import NavigationRules

@Suite struct TextTemplateTests {
    @Test(
        "The placeholders of a text template are replaced by the values of the scene",
        arguments: [
            ("", ""), ("Plain", "Plain"), ("{n}", "7"), ("{n}{n}", "77"), ("a {n} b", "a 7 b"),
            ("{count} rows", "3 rows"), ("{n} of {count}", "7 of 3"),
        ])
    func placeholders(_ source: String, _ text: String) throws {
        let scene = Scene(name: "a", kind: .table, rows: "numbers", parameters: ["n"])
        let parameters = Parameters(names: ["n"], values: ["7"])
        #expect(
            try TextTemplate(source).text(for: scene, parameters, from: Numbers()) == text)
    }

    @Test("{count} is also the number of the rows that the scene itself lists")
    func fixedRows() throws {
        let scene = Scene(
            name: "a", kind: .table, fixedRows: [FixedRow(title: "One"), FixedRow(title: "Two")])
        let template = try TextTemplate("{count} rows")
        #expect(template.text(for: scene, .none, from: Numbers()) == "2 rows")
    }

    @Test(
        "A text template with unbalanced braces or an empty placeholder is refused",
        arguments: [
            ("{", TemplateError.unbalancedBrace), ("}", .unbalancedBrace), ("{a", .unbalancedBrace),
            ("a}", .unbalancedBrace), ("{a{b}}", .unbalancedBrace), ("{}", .emptyPlaceholder),
        ])
    func braces(_ source: String, _ error: TemplateError) {
        #expect(throws: error) { try TextTemplate(source) }
    }
}
