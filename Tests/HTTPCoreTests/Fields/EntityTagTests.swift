import Testing

@testable import HTTPCore

@Suite("Entity tags")
struct EntityTagTests {
    @Test("An entity tag is written in quotes")
    func description() {
        #expect(EntityTag("12").description == "\"12\"")
    }

    @Test(
        "The entity tag of a revision has its number and the suffix",
        arguments: [0, 1, 9, 10, 1234, 9_999_999_999_999, 10_000_000_000_000, .max])
    func revision(number: Int) {
        for suffix in ["", "-9c1f03ab", "-a much longer one"] {
            #expect(EntityTag(number, suffix) == EntityTag("\(number)\(suffix)"))
        }
    }

    @Test(
        "An entity tag matches the tags of a list strongly, weakly or not at all",
        arguments: [
            // Each case has a field, whether the strong comparison finds "1", and whether the weak
            // one does.
            ("\"1\"", true, true), ("*", true, true), (" * ", true, true), ("W/\"1\"", false, true),
            ("\"2\", \"1\"", true, true), ("\"2\",\"1\",\"3\"", true, true),
            ("\"2\" ,\t\"1\"\t", true, true), ("\"2\", W/\"1\"", false, true),
            (", \"1\",,", true, true), ("", false, false), (",", false, false),
            ("\"2\"", false, false), ("\"11\"", false, false), ("1", false, false),
            ("\"1", false, false), ("w/\"1\"", false, false), ("W/ \"1\"", false, false),
            ("\"1\" \"2\"", false, false), ("*, \"2\"", false, false), ("W/*", false, false),
        ])
    func listed(field: String, strongly: Bool, weakly: Bool) {
        #expect(EntityTag("1").isListed(in: field, weakly: false) == strongly)
        #expect(EntityTag("1").isListed(in: field, weakly: true) == weakly)
    }

    @Test(
        "A list of entity tags is an asterisk or tags in quotes",
        arguments: [
            ("\"1\"", true), ("\"\"", true), ("*", true), (" * ", true), ("W/\"1\"", true),
            ("\"2\", \"1\"", true), ("\"2\" ,\t\"1\"\t", true), (", \"1\",,", true),
            ("\"a,b\", \"c\"", true), ("\"1\" ,", true), ("", false), (",", false), ("1", false),
            ("\"1", false), ("1\"", false), ("w/\"1\"", false), ("W/ \"1\"", false), ("W/", false),
            ("\"1\" \"2\"", false), ("\"1\"2", false), ("*, \"2\"", false), ("W/*", false),
            ("\"1\", 2", false), ("\"a b\"", false), ("\"é\"", false), ("\"1\"\"2\"", false),
        ])
    func list(field: String, isList: Bool) {
        #expect(EntityTag.isList(field) == isList)
    }
}
