import Foundation
import Testing
import WaypostTesting

@testable import waypost

/// Tests of `waypost links`.
@Suite struct LinksCommandTests {
    private static let bookshop = Shell.checkout.appending(path: "Examples/Bookshop/Bookshop.json")
        .path

    @Test("waypost links prints JSON")
    func json() async throws {
        let result = try await Shell.run("\(Shell.waypost) links --format json | jq -c .")
        #expect(result.output.hasPrefix(#"{"storyboard":"Library","hosts":["library.example""#))
        #expect(
            result.output.contains(
                #"{"pattern":"/books","scene":"titles","tab":null,"presentation":null,"query":[],"example":"/books","main":false,"defect":null}"#
            ))
    }

    @Test("A name whose characters are long in UTF-16 is printed as a whole")
    func longCharacters() async throws {
        let result = try await Shell.run(
            """
            echo '{"name": "A", "initialScene": "🦋🦋🦋", "scenes": {
              "🦋🦋🦋": {"kind": "blank", "path": "/a"}}}' > app.json
            \(Shell.waypost) links --storyboard app.json
            """)
        #expect(result.output.hasPrefix("/a  🦋🦋🦋  -  -  /a  main"), "\(result.output)")
    }

    @Test("waypost links fails if a more specific pattern shadows an alias")
    func shadowed() async throws {
        let result = try await Shell.run(
            """
            echo '{"name": "A", "initialScene": "a", "scenes": {
              "a": {"kind": "blank", "path": ["/a", "/{x?}"], "parameters": ["x?"]},
              "x": {"kind": "blank", "path": "/x"}, "root": {"kind": "blank", "path": "/"}}}' > app.json
            \(Shell.waypost) links --storyboard app.json
            """)
        #expect(result.status == 1)
        #expect(result.output.contains("error: /{x?}: /x: the pattern /x is tried first\n"))
    }

    @Test("waypost links fails for patterns that match the same links")
    func tie() async throws {
        let result = try await Shell.run(
            """
            echo '{"name": "A", "initialScene": "a", "scenes": {"a": {"kind": "blank"},
              "b": {"kind": "blank", "path": "/{x}", "parameters": ["x"]},
              "c": {"kind": "blank", "path": "/{y}", "parameters": ["y"]}}}' > app.json
            \(Shell.waypost) links --storyboard app.json
            """)
        #expect(result.status == 1)
        #expect(result.errors.contains("scenes.c.path: matches the same links as scenes.b.path"))
    }

    @Test("waypost links says that an app without paths has no links")
    func none() async throws {
        let result = try await Shell.run(
            """
            echo '{"name": "A", "initialScene": "a", "scenes": {"a": {"kind": "blank"}}}' > app.json
            \(Shell.waypost) links --storyboard app.json
            """)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("no scene has a path"))
    }

    @Test("waypost links names the first of two files that cannot be read")
    func unreadableFiles() async throws {
        let result = try await Shell.run(
            "\(Shell.waypost) links --aasa one --assetlinks two --package com.example > output.txt")
        #expect(result.status == 2)
        #expect(result.errors == "one: cannot be read: name an existing file\n")
    }

    @Test("waypost links says what the files of a website do with each example")
    func sites() async throws {
        let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")
        let result = try await Shell.run(
            """
            echo '{"applinks": {"details": [{"appIDs": ["A.b"], "components": [
              {"/": "/basket/*", "exclude": true}, {"/": "/basket"}, {"/": "/wiki/*"}]}]}}' > aasa
            echo '[{"relation": ["delegate_permission/common.handle_all_urls"], "target":
              {"namespace": "android_app", "package_name": "com.example",
               "sha256_cert_fingerprints": ["\(fingerprint)"]}}]' > assets
            \(Shell.waypost) links --storyboard \(Self.bookshop) --aasa aasa \
              --assetlinks assets --package com.example
            """)
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(lines.contains("https://bookshop.example/basket opens the app"))
        #expect(lines.contains("https://bookshop.example/basket/delivery excluded by component 1"))
        #expect(lines.contains("https://bookshop.example/books stays in the browser"))
        #expect(lines.contains("https://bookshop.example/books opens the app"))
        #expect(
            lines.contains("component 3 lets in /wiki/x, which no pattern matches: it is refused"))
    }

    @Test(
        "waypost links cannot check a file of several apps before one is chosen",
        arguments: [
            ("", 2), ("--app A.c", 0), ("--app A.d", 1),
        ])
    func severalApps(option: String, status: Int32) async throws {
        let result = try await Shell.run(
            """
            echo '{"applinks": {"details": [{"appIDs": ["A.b", "A.c"], "components": []}]}}' > aasa
            \(Shell.waypost) links --storyboard \(Self.bookshop) --aasa aasa \(option)
            """)
        #expect(result.status == status)
        #expect(
            result.output.contains("choose one of the apps with --app: A.b, A.c") == (status == 2))
    }

    @Test(
        "waypost links refuses options and files that it cannot use",
        arguments: [
            ("--app A.b", 2), ("--package com.example", 2), ("--assetlinks none", 2),
            ("--aasa none", 2), ("--format xml", 2), ("--assetlinks file --package p", 1),
            ("--aasa file", 1),
        ])
    func refused(_ options: String, _ status: Int32) async throws {
        let result = try await Shell.run("echo '[]' > file; \(Shell.waypost) links \(options)")
        #expect(result.status == status)
    }
}
