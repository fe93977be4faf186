import Testing

@testable import Navigation

@Suite struct TextTemplateTests {
    @Test(arguments: [
        ("", ""), ("Plain", "Plain"), ("{n}", "7"), ("{n}{n}", "77"), ("a {n} b", "a 7 b"),
        ("{count} rows", "3 rows"), ("{n} of {count}", "7 of 3"),
    ])
    func placesAreFilled(_ source: String, _ text: String) throws {
        let scene = Scene(name: "a", kind: .table, rows: "numbers", parameters: ["n"])
        let parameters = Parameters(names: ["n"], values: ["7"])
        #expect(
            try TextTemplate(source).text(for: scene, parameters, from: Numbers()) == text)
    }

    @Test(arguments: [
        ("{", TemplateError.unbalancedBrace), ("}", .unbalancedBrace), ("{a", .unbalancedBrace),
        ("a}", .unbalancedBrace), ("{a{b}}", .unbalancedBrace), ("{}", .emptyPlaceholder),
    ])
    func bracesMustMatch(_ source: String, _ error: TemplateError) {
        #expect(throws: error) { try TextTemplate(source) }
    }
}
