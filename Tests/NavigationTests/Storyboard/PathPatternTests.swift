import TestSupport
import Testing

@testable import NavigationRules

@Suite struct PathPatternTests {
    @Test(
        "A path pattern matches a path and returns the values of its parameters",
        arguments: [
            ("/", [], [:]),
            ("/a", ["a"], [:]),
            ("/a/{n}", ["a", "7"], ["n": "7"]),
            ("/{m}/{n}", ["x/y", "é"], ["m": "x/y", "n": "é"]),
            ("/a/{m?}/{n?}", ["a"], [:]),
            ("/a/{m?}/{n?}", ["a", "7"], ["m": "7"]),
            ("/a/{m?}/{n?}", ["a", "7", "8"], ["m": "7", "n": "8"]),
            ("/a/{m?}/{n*}", ["a", "7", "8", "9"], ["m": "7", "n": "8/9"]),
            ("/a/{n+}", ["a", "7", "8"], ["n": "7/8"]),
            ("/a/{n*}", ["a"], [:]),
        ] as [(String, [String], [String: String])])
    func match(_ pattern: String, _ path: [String], _ values: [String: String]) throws {
        #expect(try PathPattern(pattern).match(path) == values)
    }

    @Test(
        "A path pattern does not match a path with different, missing or additional segments",
        arguments: [
            ("/a", ["b"]), ("/a", ["a", ""]), ("/a", [""]), ("/a/{n}", ["a"]),
            ("/a/{n+}", ["a"]), ("/a/{n*}", ["b"]), ("/a/{n?}", ["a", "b", "c"]),
            ("/a/{n}", ["a", "b", "c"]), ("/", ["a"]),
        ])
    func noMatch(_ pattern: String, _ path: [String]) throws {
        #expect(try PathPattern(pattern).match(path) == nil)
    }

    @Test(
        "A malformed path pattern is refused with the reason",
        arguments: [
            ("", PathPatternError.notAbsolute), ("a", .notAbsolute), ("/a/", .emptySegment),
            ("//a", .emptySegment), ("/{}", .badPlaceholder("{}")),
            ("/a{n}", .badPlaceholder("a{n}")),
            ("/{n}x", .badPlaceholder("{n}x")), ("/{n}/{n}", .repeated("n")),
            ("/{n}/{n?}", .repeated("n")), ("/{?}", .badPlaceholder("{?}")),
            ("/a/..", .emptySegment), ("/./a", .emptySegment),
            ("/{n?}/a", .notLast("a")), ("/{n*}/a", .notLast("a")),
            ("/{m?}/{n}", .notLast("{n}")), ("/{m?}/{n+}", .notLast("{n+}")),
            ("/{m+}/{n?}", .notLast("{n?}")),
            (String(repeating: "/a", count: 101), .tooLong(101, maximum: 100)),
        ])
    func malformed(_ source: String, _ error: PathPatternError) {
        #expect(throws: error) { try PathPattern(source) }
    }

    @Test("A literal segment of a path takes precedence over a parameter, in any order of scenes")
    func precedence() throws {
        let paths = ["/a/{n}", "/a/new", "/{m}/new", "/{m}/{n}"]
        let scenes = try paths.map { path in
            Scene(
                name: path, kind: .blank, parameters: try PathPattern(path).parameters,
                paths: [try PathPattern(path)])
        }
        for rotation in 0..<paths.count {
            let draft = StoryboardDraft(
                name: "Links", initialScene: "home",
                scenes: Array(scenes[rotation...] + scenes[..<rotation])
                    + [Scene(name: "home", kind: .blank)])
            let storyboard = try Storyboard(draft, dataSource: NoData())
            for (path, expected) in [
                (["a", "new"], "/a/new"), (["a", "x"], "/a/{n}"), (["b", "new"], "/{m}/new"),
                (["b", "x"], "/{m}/{n}"),
            ] {
                let link = Link.path("/" + path.joined(separator: "/"))
                #expect(try storyboard.resolve(link, in: NoData()).scene.name == expected)
            }
        }
    }
}
