import Testing

@testable import Sessions

@Suite("Usernames")
struct UsernameTests {
    @Test(
        "A username has 3 to 64 letters, digits and . _ - @",
        arguments: [
            "ada", "Ada", "ada.lovelace", "a_b-c@d.e", "123", "...", "Лев", "村上春樹", "João",
            "हिंदी", "বাংলা", "עברית", "สวัสดี",
            String(repeating: "x", count: 64), String(repeating: "é", count: 64),
        ])
    func allowed(text: String) throws {
        #expect(try Username(text).text == text)
    }

    @Test(
        "A username of another length or with other characters is rejected with the rule",
        arguments: [
            ("", "3 to 64"), ("ab", "3 to 64"), (String(repeating: "x", count: 65), "3 to 64"),
            ("a b", "only letters"), ("ada ", "only letters"), ("ada\n", "only letters"),
            ("ada\0", "only letters"), ("a/b", "only letters"), ("ada!", "only letters"),
            ("ada🙂", "only letters"), ("ad\"a", "only letters"), ("ada\u{200B}", "only letters"),
            ("<ada>", "only letters"), ("\u{202E}ada", "only letters"),
            ("नमस्ते", "only letters"), ("ที่ดี", "only letters"), ("i\u{307}pek", "only letters"),
        ])
    func refused(text: String, rule: String) {
        let error = #expect(throws: SessionError.self) { try Username(text) }
        guard case .invalidUsername(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(rule))
    }

    @Test(
        "Usernames that differ only in case or Unicode form are equal",
        arguments: [
            ("ada", "ADA"), ("Ada", "aDa"), ("João", "joa\u{303}o"), ("ÉMILE", "e\u{301}mile"),
            ("ЛЕВ", "лев"), ("ada", "\u{FF41}\u{FF44}\u{FF41}"), ("file", "\u{FB01}le"),
            ("Ångström", "\u{212B}ngström"),
        ])
    func same(one: String, other: String) throws {
        let (one, other) = (try Username(one), try Username(other))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(Set([one, other]).count == 1)
    }

    @Test(
        "Usernames with different characters are different",
        arguments: [
            ("ada", "ada1"), ("ada", "аdа"), ("emile", "émile"), ("a.b", "a_b"),
            ("Σοφός", "ΣΟΦΌΣ"), ("straße", "STRASSE"),
        ])
    func different(one: String, other: String) throws {
        #expect(try Username(one) != Username(other))
    }

    @Test("A username is kept in its normal form, with its case")
    func normalForm() throws {
        #expect(try Array(Username("Joa\u{303}o").text.utf8) == Array("João".utf8))
        #expect(try Username("\u{FF21}da").text == "Ada")
    }
}
