import TestSupport
import Testing

@testable import NavigationRules

@Suite struct LinkTests {
    @Test("A link opens the scene of the most specific pattern, or is refused with the reason")
    func cases() throws {
        var app: App?
        var count = 0
        for line in LinkCases.text.split(separator: "\n") {
            guard line.hasPrefix("  ") else {
                app = try TestApp.links(line)
                continue
            }
            let parts = line.dropFirst(2).split(separator: " => ", maxSplits: 1)
            let text = String(parts[0])
            let link: Link = text.hasPrefix("url ") ? .url(String(text.dropFirst(4))) : .path(text)
            #expect(Self.opened(link, in: try #require(app)) == parts[1], "\(line)")
            count += 1
        }
        #expect(count > 150)
    }

    /// Returns what a link opens in a new session, in the form of `LinkCases`.
    private static func opened(_ link: Link, in app: App) -> String {
        do throws(NavigationError) {
            let window = try Window.launch(app, opening: link).window
            let parameters = window.topViewController.parameters
            let values = zip(parameters.names, parameters.values).map { "\($0): \($1)" }
            return
                (window.viewControllers.map(\.scene.name)
                + ["{\(values.joined(separator: ", "))}", window.link(in: app) ?? "-"])
                .joined(separator: " ")
                .replacing("bar baz", with: "bar_baz").replacing("a b", with: "a_b")
        } catch {
            return error.code.rawValue
        }
    }

    @Test("The order of the scenes and of the names in a storyboard makes no difference")
    func order() throws {
        let scenes = [
            "A /{x}/b (x)", "B /a/{y} (y)", "C /a/{y?} (y?)", "D /a/{z+} (z)", "E /a/{z*} (z?)",
            "F /a", "G /a/b (q)", "H /a/b (r)", "I /a/b (q r)",
        ]
        let links = [
            "/a", "/a/b", "/c/b", "/a/c", "/a/c/d", "/a/b?q=1", "/a/b?r=1", "/a/b?r=1&q=1",
        ]
        let names = "ABCDEFGHI".map(String.init)
        var found: Set<[String]> = []
        for rotation in scenes.indices {
            // The names are in another order, too: the scene at a pattern has another name.
            let rotated = scenes[rotation...] + scenes[..<rotation]
            let lines = zip(names, rotated).map { "\($0)\($1.dropFirst())" }
            let app = try TestApp.links(lines.joined(separator: " | "))
            found.insert(
                try links.map { link in
                    let scene = try app.storyboard.resolve(.path(link), in: NoData()).scene
                    return "\(scene.paths[0]) \(scene.parameters)"
                })
        }
        #expect(found.count == 1)
        #expect(
            found.first?.prefix(2) == [#"/a []"#, #"/a/{y} ["y"]"#])
        #expect(found.first?.last == #"/a/b ["q", "r"]"#)
    }

    @Test("If the data lacks a value of the most specific pattern, the next pattern is tried")
    func data() throws {
        let scenes = [
            Scene(
                name: "picture", kind: .image, image: "picture", parameters: ["n"],
                paths: [try PathPattern("/{n}")]),
            Scene(
                name: "any", kind: .blank, parameters: ["rest"],
                paths: [try PathPattern("/{rest+}")]),
            Scene(name: "Home", kind: .blank),
        ]
        let storyboard = try Storyboard(
            StoryboardDraft(name: "Data", initialScene: "Home", scenes: scenes),
            dataSource: Numbers())
        #expect(try storyboard.resolve(.path("/1"), in: Numbers()).scene.name == "any")
    }

    @Test("A link is compared with as many patterns among 500 as among 50")
    func index() throws {
        func compared(_ count: Int) throws -> Int {
            let app = try TestApp.links(
                (0..<count).map { "S\($0) /{kind}/s\($0)/{id} (kind id)" }.joined(separator: " | ")
                    + " | Any /{rest*} (rest?)")
            var compared = 0
            let address = try #require(LinkAddress("/a/s7/1"))
            let found = app.storyboard.linkIndex.first(at: address.segments) { entry -> String? in
                compared += 1
                return entry.scene.name == "Any" ? "Any" : nil
            }
            #expect(found == "Any")
            return compared
        }
        #expect(try compared(500) == 2)
        #expect(try compared(50) == 2)
    }

    @Test("A link or a value that is too long is refused")
    func length() throws {
        let app = try TestApp.links("Foo /foo/{id} (id q?) | Rest /rest/{rest*} (rest?)")
        func code(_ path: String) -> String? {
            do throws(NavigationError) {
                _ = try Window.launch(app, opening: .path(path))
                return nil
            } catch { return error.code.rawValue }
        }
        let long = String(repeating: "x", count: 1024)
        #expect(code("/foo/\(long)?q=\(long)") == nil)
        #expect(code("/foo/\(long)x") == "malformed-link")
        #expect(code("/foo/1?q=\(long)x") == "malformed-link")
        #expect(code("/rest/\(long)/x") == "malformed-link")
        #expect(code("/foo/1?utm=\(long)\(long)\(long)") == nil)
        #expect(code("/foo/1?utm=\(long)\(long)\(long)\(long)") == "malformed-link")
        #expect(code(String(repeating: "/a", count: 32_768)) == "malformed-link")
        #expect(code(String(repeating: "../", count: 1300) + "foo/1") == nil)
        #expect(code("/rest" + String(repeating: "/..", count: 1300)) == "link-not-found")
    }

    @Test(
        "There is no link if two values differ in their Unicode form, as it would make them equal")
    func unicodeForms() throws {
        let app = try TestApp.links("A /a/{q} (q) | B /a/{q}/b (q) < A")
        func link(_ below: String, _ above: String) throws -> String? {
            var window = Window.launch(app).window
            let stack = [("A", below), ("B", above)].map { scene, value in
                Target.scene(scene, parameters: ["q": value])
            }
            _ = try window.perform(.setViewControllers(stack), animated: false, in: app)
            return window.link(in: app)
        }
        #expect(try link("\u{E9}", "\u{E9}") == "/a/%C3%A9/b")
        #expect(try link("\u{E9}", "e\u{301}") == nil)
    }

    @Test("A link whose value no URL can carry is null, and a long one is null")
    func unwritable() throws {
        let app = try TestApp.links(
            "Foo /foo/{id} (id q?) | Opt /opt/{a?}/{b?} (a? b?) | Rest /rest/{r+} (r)")
        func link(_ scene: String, _ parameters: [String: String]) throws -> String? {
            var window = Window.launch(app).window
            _ = try window.perform(
                .setViewControllers([.scene(scene, parameters: parameters)]), animated: false,
                in: app)
            return window.link(in: app)
        }
        #expect(try link("Foo", ["id": "1"]) == "/foo/1")
        #expect(try link("Foo", ["id": "1", "q": ""]) == "/foo/1?q=")
        for value in ["", ".", "..", "\0"] { #expect(try link("Foo", ["id": value]) == nil) }
        #expect(try link("Foo", ["id": "1", "q": "\0"]) == nil)
        #expect(try link("Opt", [:]) == "/opt")
        #expect(try link("Opt", ["a": ""]) == nil)
        #expect(try link("Opt", ["b": "1"]) == nil)
        let scene = try #require(app.storyboard.scenes["Opt"])
        #expect(app.storyboard.link(to: scene, ["a": "1", "b": "2"]) == "/opt/1/2")
        #expect(app.storyboard.link(to: scene, ["b": "1"]) == nil)
        #expect(try link("Rest", ["r": "a/b"]) == "/rest/a/b")
        for value in ["", "/a", "a//b", "a/", "a/../b"] {
            #expect(try link("Rest", ["r": value]) == nil)
        }
        let long = String(repeating: "é", count: 1000)
        #expect(try link("Foo", ["id": long]) == nil)
    }
}
