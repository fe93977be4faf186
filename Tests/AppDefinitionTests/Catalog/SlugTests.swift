import Testing

@testable import AppDefinition

@Suite("Slugs")
struct SlugTests {
    @Test(
        "The slug of a name has only lower-case ASCII letters, digits and single hyphens",
        arguments: [
            ("J.R.R. Tolkien", "j-r-r-tolkien"), ("Charlotte Brontë", "charlotte-bronte"),
            ("Bront\u{65}\u{308}", "bronte"), ("L'Étranger", "letranger"),
            ("L’Étranger", "letranger"), ("Ender's Game", "enders-game"),
            ("Günter Graß", "gunter-grass"), ("Møller Æsop Łódź Œuvre", "moller-aesop-lodz-oeuvre"),
            ("  --Dune!!  (1965) ", "dune-1965"), ("1984", "1984"), ("Толстой", "tolstoj"),
            ("Гоголь", "gogol"), ("Ελλάδα", "ellada"), ("村上 春樹", "cun-shang-chun-shu"),
            ("a/../b\0c\nd", "a-b-c-d"), ("🙂🙂", ""), ("...", ""), ("", ""),
        ])
    func slug(name: String, expected: String) {
        #expect(Slug(name).text == expected)
    }

    @Test("A long slug is shortened at a hyphen, or inside a word that is too long")
    func length() {
        let words = Array(repeating: "abcde", count: 30).joined(separator: " ")
        let cut = Array(repeating: "abcde", count: 12).joined(separator: "-")
        #expect(Slug(words).text == cut)
        let fits = String(repeating: "a", count: 72)
        #expect(Slug(fits + " b").text == fits)
        #expect(Slug(fits + "aaa").text == fits)
        #expect(Slug("é" + fits).text.utf8.count == 72)
    }

    @Test("The slug of a name depends only on its first 1,000 characters")
    func veryLong() {
        let name = String(repeating: "ж", count: 3_000_000)
        #expect(Slug(name).text == Slug(String(name.prefix(1000))).text)
        #expect(Slug(name).text.count == 72)
    }
}
