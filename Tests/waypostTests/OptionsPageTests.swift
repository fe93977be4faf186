import Testing
import WaypostTesting

/// The page of the options, the manual page and the help, which have one source.
@Suite struct OptionsPageTests {
    @Test("docs/options.md is what `make options` writes") func current() async throws {
        let result = try await Shell.run(
            "\(Shell.checkout.path)/.dist/options \(Shell.waypost) --check")
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test("The manual page has all options of the service, and one form of each duration")
    func manual() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) --experimental-dump-help > dump.json
            \(Shell.checkout.path)/.dist/manual 1.0.0 2026-01-01 < dump.json | sed 's/\\\\-/-/g'
            """)
        #expect(result.output.contains("--max-idempotency-keys"))
        #expect(result.output.contains("Default: 24h."))
        #expect(!result.output.contains("86400s"))
        #expect(result.output.contains("\n.SH EXIT STATUS\n0 after success; 1 for findings"))
    }

    @Test("The help of the service shows some 25 options in groups, and --help-hidden all")
    func help() async throws {
        let result = try await Shell.run(
            """
            for help in --help --help-hidden; do \(Shell.waypost) serve $help | grep -c '^  --'; done
            \(Shell.waypost) serve --help | grep -oE '^[A-Z ]+:$' | tr '\\n' ' '
            """)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect((20...30).contains(Int(lines[0]) ?? 0))
        #expect(Int(lines[1]) ?? 0 > 55)
        #expect(lines[2] == "SERVICE: APP: STORE: SESSIONS: ACCESS: LOG: LIMITS: OPTIONS: ")
    }

    @Test(
        "The help of a command that reads an app shows two options of the app, and hides the others",
        arguments: ["check", "test", "explore", "path", "verify", "diagram"])
    func dataOptions(command: String) async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) \(command) --help | grep -A 20 ^APP: | sed '/^OPTIONS:/,$d' | grep -o -- '^  --[a-z-]*'
            \(Shell.waypost) \(command) --help-hidden | grep -c -- '--max-title-length <'
            """)
        #expect(result.output == "  --storyboard\n  --catalog\n1\n")
    }

    @Test("make alone prints its targets, one line each, and does nothing else")
    func makeAlone() async throws {
        let result = try await Shell.run("make --directory=\(Shell.checkout.path)")
        let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("make ") }
        #expect(lines.count > 15)
        #expect(
            lines.contains {
                $0.hasPrefix("make test ") && $0.hasSuffix(" that a change must pass")
            })
        #expect(lines.allSatisfy { $0.split(separator: " ").count > 3 })
    }
}
