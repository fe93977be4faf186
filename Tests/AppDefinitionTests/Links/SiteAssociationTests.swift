import JSON
import Testing
import WaypostCore

@testable import AppDefinition

private func json(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8), maximumDepth: 32)
}

@Suite struct SiteAssociationTests {
    private static func association(
        _ components: String, defaults: String = "{}", app: String? = nil
    ) throws -> SiteAssociation {
        let file = """
            {"applinks": {
              "defaults": \(defaults),
              "substitutionVariables": {"food": ["burrito", "sal?d", "so*"], "Drink": ["Tea"]},
              "details": [{"appIDs": ["A.b"], "components": \(components)}]}}
            """
        return try SiteAssociation(json(file), app: app)
    }

    @Test(
        "A component covers the links that its patterns describe",
        arguments: [
            (
                #"{"/": "/help/*"}"#, ["/help/", "/help/a/b", "/help/?x=1"],
                ["/help", "/Help/a", "/x"]
            ),
            (#"{"/": "/a?c"}"#, ["/abc", "/a%c"], ["/ac", "/abbc"]),
            (#"{"/": "/a/?*"}"#, ["/a/b", "/a/bcd"], ["/a/", "/a"]),
            (
                #"{"/": "/help", "?": "id=*"}"#, ["/help?id=", "/help?id=1&x=2"],
                ["/help", "/help?x=1"]
            ),
            (#"{"?": {"id": "????"}}"#, ["/?id=1234", "/x?y=1&id=abcd"], ["/?id=123", "/"]),
            (#"{"?": {"id": "*"}}"#, ["/", "/?id=1"], []),
            (##"{"#": "*"}"##, ["/"], []),
            (##"{"#": "top"}"##, [], ["/"]),
            (#"{"/": "/HELP", "caseSensitive": false}"#, ["/help", "/Help"], ["/hel"]),
            (
                #"{"/": "/X/$(Drink)$(upper)", "caseSensitive": false}"#, ["/x/teaA", "/X/TEAA"],
                ["/x/teaa", "/x/Drink"]
            ),
            (#"{"/": "/$(drink)", "caseSensitive": false}"#, [], ["/tea"]),
            (#"{"/": "/café", "percentEncoded": false}"#, ["/caf%C3%A9"], ["/cafe"]),
            (#"{"/": "/caf%C3%A9"}"#, ["/caf%C3%A9"], ["/caf%c3%a9"]),
            (#"{"/": "/$(food)/x"}"#, ["/burrito/x", "/salad/x", "/soup/x", "/so/x"], ["/pie/x"]),
            (#"{"/": "/$(lang)/$(digit)$(upper)"}"#, ["/en/1A"], ["/e/1A", "/en/a1"]),
            (#"{"/": "/$(none)"}"#, [], ["/", "/none"]),
            (#"{"/": "/$5"}"#, ["/$5"], ["/5"]),
            (#"{"comment": "all"}"#, ["/", "/a?b=c"], []),
        ])
    func components(_ component: String, _ covered: [String], _ others: [String]) throws {
        let association = try Self.association("[\(component)]")
        for link in covered { #expect(association.verdict(of: link) == .opensApp, "\(link)") }
        for link in others { #expect(association.verdict(of: link) == .staysInBrowser, "\(link)") }
    }

    @Test("The first component that covers a link decides")
    func order() throws {
        let association = try Self.association(
            #"[{"/": "/a/b"}, {"/": "/a/*", "exclude": true}, {"/": "*"}]"#)
        #expect(association.verdict(of: "/a/b") == .opensApp)
        #expect(association.verdict(of: "/a/c") == .excluded(by: 2))
        #expect(association.verdict(of: "/c") == .opensApp)
        #expect("\(association.verdict(of: "/a/c"))" == "excluded by component 2")
    }

    @Test("A component takes the members that it lacks from the defaults")
    func defaults() throws {
        let association = try Self.association(
            #"[{"/": "/A"}, {"/": "/B", "caseSensitive": true}]"#,
            defaults: #"{"caseSensitive": false}"#)
        #expect(association.verdict(of: "/a") == .opensApp)
        #expect(association.verdict(of: "/b") == .staysInBrowser)
    }

    @Test("The defaults of one entry take precedence over those of all")
    func ownDefaults() throws {
        let file = """
            {"applinks": {"defaults": {"caseSensitive": false}, "details": [
              {"appIDs": ["A.b"], "defaults": {"caseSensitive": true}, "components": [{"/": "/A"}]},
              {"appIDs": ["A.b"], "components": [{"/": "/B"}]}]}}
            """
        let association = try SiteAssociation(json(file), app: "A.b")
        #expect(association.verdict(of: "/a") == .staysInBrowser)
        #expect(association.verdict(of: "/A") == .opensApp)
        #expect(association.verdict(of: "/b") == .opensApp)
    }

    @Test("The older key paths is read, with NOT for an exclusion")
    func paths() throws {
        let file =
            #"{"applinks": {"apps": [], "details": [{"appID": "A.b", "paths": ["NOT /a/b", "/a/*"]}]}}"#
        let association = try SiteAssociation(json(file), app: nil)
        #expect(association.verdict(of: "/a/b") == .excluded(by: 1))
        #expect(association.verdict(of: "/a/c") == .opensApp)
        #expect(association.verdict(of: "/b") == .staysInBrowser)
    }

    @Test("With several apps, one must be chosen")
    func apps() throws {
        let file = try json(
            #"{"applinks": {"details": [{"appIDs": ["A.b", "A.c"], "components": [{"/": "/b"}]}, {"appIDs": ["A.c"], "components": [{"/": "/c"}]}]}}"#
        )
        #expect(throws: LinkFileError.self) { try SiteAssociation(file, app: nil) }
        #expect(throws: LinkFileError.self) { try SiteAssociation(file, app: "A.d") }
        #expect(try SiteAssociation(file, app: "A.b").components.count == 1)
        #expect(try SiteAssociation(file, app: "A.c").components.count == 2)
    }

    @Test(
        "A file in another format is refused",
        arguments: [
            "[]", "{}", #"{"applinks": {}}"#, #"{"applinks": {"details": [1]}}"#,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [1]}]}}"#,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"/": 1}]}]}}"#,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"?": [1]}]}]}}"#,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"exclude": "yes"}]}]}}"#,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"caseSensitive": []}]}]}}"#,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"percentEncoded": {}}]}]}}"#,
        ])
    func refused(_ file: String) throws {
        let file = try json(file)
        #expect(throws: LinkFileError.self) { try SiteAssociation(file, app: nil) }
    }

    @Test("A component that lets in links without a pattern is named with such a link")
    func strays() throws {
        let association = try Self.association(
            #"[{"/": "/a/x", "exclude": true}, {"/": "/a/?*"}, {"/": "/b"}, {"/": "/c*"}]"#)
        let strays = association.components.strayLinks { ["/b", "/cx"].contains($0) }
        #expect(strays.map(\.number) == [2, 4])
        #expect(strays.map(\.link) == ["/a/x/x/x", "/cx/x/x"])
    }

    @Test("A pattern with many wildcards takes no exponential time")
    func wildcards() {
        let pattern = String(repeating: "*a", count: 200)
        #expect(!Wildcards(pattern, [:]).matches(String(repeating: "a", count: 400) + "b"))
    }
}

@Suite struct AssetLinksTests {
    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")

    private static func file(
        relation: String = "delegate_permission/common.handle_all_urls",
        namespace: String = "android_app", fingerprint: String = fingerprint,
        components: String? = nil
    ) -> String {
        let extensions = components.map {
            #", "relation_extensions": {"\#(relation)": {"dynamic_app_link_components": \#($0)}}"#
        }
        return """
            [{"relation": ["\(relation)"], "target": {"namespace": "\(namespace)",
              "package_name": "com.example", "sha256_cert_fingerprints": ["\(fingerprint)"]}\(extensions ?? "")}]
            """
    }

    @Test("A statement about the package lets the app open all links, or those of its components")
    func statement() throws {
        let all = try AssetLinks(json(Self.file()), package: "com.example")
        #expect(all.verdict(of: "/a") == .opensApp)
        let some = try AssetLinks(
            json(Self.file(components: #"[{"/": "/a/b", "exclude": true}, {"/": "/a/*"}]"#)),
            package: "com.example")
        #expect(some.verdict(of: "/a/b") == .excluded(by: 1))
        #expect(some.verdict(of: "/a/c") == .opensApp)
        #expect(some.verdict(of: "/c") == .staysInBrowser)
    }

    @Test("The first statement about the package that has a fingerprint decides")
    func severalStatements() throws {
        let statements = [
            Self.file(fingerprint: "0A:0B"), Self.file(components: #"[{"/": "/a"}]"#), Self.file(),
        ]
        let file = statements.map { $0.dropFirst().dropLast() }.joined(separator: ",")
        let links = try AssetLinks(json("[\(file)]"), package: "com.example")
        #expect(links.verdict(of: "/a") == .opensApp)
        #expect(links.verdict(of: "/b") == .staysInBrowser)
    }

    @Test(
        "A file that does not let the app open links is refused",
        arguments: [
            "{}", "[]", file(relation: "other"), file(namespace: "web"),
            file(fingerprint: "0A:0B"),
            file(fingerprint: String(fingerprint.dropLast(2) + "zz")), file(components: "[1]"),
            file(components: #"{"/": "/a"}"#),
        ])
    func refused(_ file: String) throws {
        let file = try json(file)
        #expect(throws: LinkFileError.self) { try AssetLinks(file, package: "com.example") }
    }

    @Test("A component that is no object is named by its number") func component() throws {
        let file = try json(Self.file(components: #"[{"/": "/a"}, 7]"#))
        let error = #expect(throws: LinkFileError.self) {
            try AssetLinks(file, package: "com.example")
        }
        #expect("\(try #require(error))".hasPrefix("component 2: expected an object of patterns"))
    }

    @Test("A statement about another package is refused")
    func package() throws {
        let file = try json(Self.file())
        #expect(throws: LinkFileError.self) { try AssetLinks(file, package: "com.other") }
    }
}
