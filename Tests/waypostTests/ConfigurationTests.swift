import ArgumentParser
import Flows
import Foundation
import JSON
import Testing
import WaypostCore
import WaypostTesting

@testable import waypost

/// Tests of the configuration file, its precedence, and `waypost config`.
@Suite struct ConfigurationTests {
    @Test("A configuration file gives options as numbers, texts and lists") func options() throws {
        let file = try ConfigurationFile(
            """
            # Everything else has its default.
            port: 9000
            inspector: off
            session-ttl: 12h
            cors-origin: [https://a.example, https://b.example]
            """, path: "w.yaml")
        #expect(file.entries["port"] == .init(values: ["9000"], line: 2))
        #expect(file.entries["inspector"] == .init(values: ["off"], line: 3))
        #expect(file.arguments(of: "session-ttl") == ["--session-ttl=12h"])
        #expect(
            file.arguments(of: "cors-origin") == [
                "--cors-origin=https://a.example", "--cors-origin=https://b.example",
            ])
        #expect(file.arguments(of: "host").isEmpty)
    }

    @Test("An empty configuration file has no options", arguments: ["", "# nothing\n", "---\n"])
    func empty(_ text: String) throws {
        #expect(try ConfigurationFile(text, path: "w.yaml").entries.isEmpty)
    }

    @Test(
        "A defect in a configuration file is refused with its line and column",
        arguments: [
            (
                "host: ::1\nprot: 9000", 2,
                "unknown option prot; `waypost serve --help-hidden` lists them"
            ),
            ("\n\nport: nine", 3, "nine"),
            ("host: a\nport: 70000", 2, "70000"),
            ("host: a\nport: [1, 2]", 2, "port: expected one value, found a list"),
            ("port: {a: 1}", 1, "port: expected a value"),
            ("port:", 1, "port: the value is missing"),
            ("max-waiting-changes: 0", 1, "--max-waiting-changes must be 1 or more"),
            ("cors-origin: [https://a.example, a.example]", 1, "--cors-origin a.example"),
            ("durability: maybe", 1, "maybe"),
            ("- port", 1, "expected options such as port: 9000"),
            ("port: 1\nhost: [a", 2, "check indentation, quotes and brackets here"),
            ("port: 1\nport: 2", 1, "the key port comes twice"),
            ("config: other.yaml", 1, "a configuration file cannot name another"),
            ("port: 1\n---\nhost: a", 3, "a second document: remove one of them"),
            ("port: 1\nhost: &h a", 2, "the anchor &h is not allowed"),
        ])
    func defects(_ text: String, _ line: Int, _ mention: String) throws {
        let defect = try #require(throws: FileDefect.self) {
            try ConfigurationFile(text, path: "w.yaml")
        }
        #expect(defect.place.line == line)
        #expect(defect.reason.contains(mention))
    }

    @Test("The command line comes before the environment, and the environment before the file")
    func precedence() throws {
        let file = try ConfigurationFile(
            "port: 1\nhost: file\ncors-origin: https://file.example", path: "w.yaml")
        let environment = ["WAYPOST_PORT": "2", "WAYPOST_CORS_ORIGIN": "https://a.example"]
        #expect(
            EnvironmentOptions.insert(into: ["serve", "--port", "3"], from: environment, file)
                == [
                    "serve", "--host=file", "--port=2", "--cors-origin=https://a.example",
                    "--port", "3",
                ])
        #expect(
            EnvironmentOptions.insert(
                into: ["serve", "--cors-origin=https://b.example"], from: environment, file)
                == ["serve", "--host=file", "--port=2", "--cors-origin=https://b.example"])
    }

    @Test("A configuration file can have every option of waypost serve")
    func everyOption() throws {
        let help = try JSONValue(parsing: Array(Serve._dumpHelp().utf8), maximumDepth: 32)
        let arguments = try #require(help["command"]?["arguments"]?.elements)
        let names = arguments.compactMap { $0["preferredName"]?["name"]?.text }
        #expect(
            Set(names)
                == Set(EnvironmentOptions.serveOptions).union(["config", "help", "no-test-clock"]))
    }

    @Test("A flag is true or false in the environment and in the file, and has their precedence")
    func flags() throws {
        let file = try ConfigurationFile("test-clock: true", path: "w.yaml")
        func clock(_ arguments: String..., variable: String? = nil) throws -> (Bool, String) {
            let environment = variable.map { ["WAYPOST_TEST_CLOCK": $0] } ?? [:]
            let all = EnvironmentOptions.insert(
                into: ["serve"] + arguments, from: environment, file)
            let option = OptionsInForce(arguments: arguments, environment: environment, file: file)
                .options.first { $0.name == "test-clock" }
            let serve = try Serve.parse(Array(all.dropFirst()))
            #expect(option?.values == ["\(serve.listening.testClock)"])
            return (serve.listening.testClock, option?.origin ?? "")
        }
        #expect(try clock() == (true, "w.yaml:1"))
        #expect(try clock(variable: "false") == (false, "WAYPOST_TEST_CLOCK"))
        #expect(
            try clock("--test-clock", "--port", "1", variable: "false") == (true, "command line"))
        #expect(try clock("--no-test-clock") == (false, "command line"))
        #expect(throws: ValidationError.self) {
            try EnvironmentOptions.checkFlags(for: ["serve"], ["WAYPOST_TEST_CLOCK": "1"])
        }
        let defect = #expect(throws: FileDefect.self) {
            try ConfigurationFile("test-clock: 1", path: "w.yaml")
        }
        #expect(defect?.description == "w.yaml:1:1: test-clock must be true or false")
        #expect(OptionsInForce.defaults()["test-clock"] == "false")
    }

    @Test("waypost config prints a configuration file with the origin of each option")
    func config() async throws {
        let result = try await Shell.run(
            """
            printf 'host: ::1\\nstore: postgres://ada:secret@db/waypost?sslpassword=hidden&passw%%6frd=hidden\\n' > w.yaml
            \(Shell.waypost) config --config w.yaml --port 9000 --cors-origin https://a.example > out
            cat out
            \(Shell.waypost) config $(printf ' --cors-origin https://%d.example' {1..60}) > many
            \(Shell.waypost) config --config many | grep -o 'https://60.example'
            WAYPOST_CONFIG=out \(Shell.waypost) config > again || echo refused
            """, environment: ["WAYPOST_SIGN_UP": "closed"])
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("host: '::1'  # w.yaml:1"))
        #expect(lines.contains("port: 9000  # command line"))
        #expect(lines.contains("sign-up: closed  # WAYPOST_SIGN_UP"))
        #expect(lines.contains("cors-origin: https://a.example  # command line"))
        #expect(lines.contains("# max-waiting-changes: 1000  # default"))
        #expect(lines.contains("# catalog:  # not set"))
        #expect(lines.contains { $0.hasPrefix("store: ") && $0.contains("postgres://ada:***@db") })
        #expect(!result.output.contains("secret") && !result.output.contains("hidden"))
        #expect(!lines.contains("refused"))
        #expect(lines.last == "https://60.example")
        #expect(result.errors.isEmpty)
    }

    @Test("A configuration file can have each line that waypost config prints, without its #")
    func everyLine() throws {
        let given = [
            "profile": ["test"], "allowed-host": ["*", "a.example"],
            "cors-origin": ["https://a.example", "https://b.example"],
            "catalog-keys": ["title=name,cover=cover image"],
        ]
        let text = " it's: [1] #2 {3} \"4\" - Ä"
        let unset = OptionsInForce(arguments: [], environment: [:], file: nil).options
            .filter(\.values.isEmpty).map(\.name)
        let arguments = unset.flatMap { name in
            (given[name] ?? [text]).map { "--\(name)=\($0)" }
        }
        let options = OptionsInForce(arguments: arguments, environment: [:], file: nil).options
        #expect(options.map(\.name) == EnvironmentOptions.serveOptions)
        let lines = options.map { option in
            option.line.hasPrefix("# ") ? String(option.line.dropFirst(2)) : option.line
        }
        // One file, because each option is checked with the parser of the command line.
        let all = try ConfigurationFile(lines.joined(separator: "\n"), path: "w.yaml")
        #expect(all.entries.count == options.count)
        for (index, option) in options.enumerated() {
            #expect(!option.values.isEmpty)
            #expect(all.entries[option.name]?.values == option.values)
            #expect(all.entries[option.name]?.line == index + 1)
        }
    }

    @Test(
        "The password of an invalid URL of a store is not printed",
        arguments: [
            "postgres://ada:a%hunter@db/waypost", "postgres://ada:a@hunter@db/waypost",
            "postgres:/ada:hunter@db/waypost", "Postgres://ada:hunter@db/waypost",
        ])
    func invalidStore(_ url: String) async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) config --store "$url" 2>&1
            test "$url" = postgres://ada:a@hunter@db/waypost || \(Shell.waypost) serve --store "$url" 2>&1
            """, environment: ["url": url])
        #expect(result.output.contains("ada:***@db/waypost"))
        #expect(!result.output.contains("hunter"))
    }

    @Test(
        "A text that is no store is refused and not printed, because it may be a URL with a password",
        arguments: [
            #""postgres://ada:hunter@db/waypost""#, " postgres://ada:hunter@db/waypost",
            "postgers://ada:hunter@db/waypost", "pg://ada:hunter@db/waypost",
        ])
    func unknownStore(_ text: String) async throws {
        let result = try await Shell.run(
            """
            echo "store: '$text'" > w.yaml
            for command in serve config "account list" "backup a" "store check" "store migrate"; do
              \(Shell.waypost) $command --store "$text" || echo "$?"
            done
            WAYPOST_STORE=$text \(Shell.waypost) serve || echo "$?"
            \(Shell.waypost) serve --config w.yaml || echo "$?"
            """, environment: ["text": text])
        #expect(result.output == String(repeating: "2\n", count: 8))
        #expect(!result.errors.contains("hunter"))
        let reason = "--store must be memory, sqlite:FILE or postgres://USER@HOST/DATABASE"
        #expect(result.errors.ranges(of: reason).count == 7)
        for place in ["WAYPOST_STORE: ", "w.yaml:1:1: "] {
            #expect(result.errors.contains(place + reason))
        }
    }

    @Test(
        "A text that YAML reads as nothing is in quotation marks",
        arguments: ["null", "Null", "NULL"])
    func null(_ text: String) throws {
        let option = OptionsInForce.Option(name: "catalog", values: [text], origin: "default")
        #expect(option.line == "# catalog: '\(text)'  # default")
        let file = try ConfigurationFile(String(option.line.dropFirst(2)), path: "w.yaml")
        #expect(file.entries["catalog"]?.values == [text])
    }

    @Test("A service with a damaged configuration file does not start and names the line")
    func refusal() async throws {
        let result = try await Shell.run(
            """
            printf 'store: memory\\nprot: 0\\n' > w.yaml
            \(Shell.waypost) serve --config w.yaml
            """)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("w.yaml:2:1: unknown option prot"))
    }

    @Test("A service listens where its configuration file says") func serve() async throws {
        let result = try await Shell.run(
            """
            printf 'store: memory\\nhost: 127.0.0.2\\nport: 0\\n' > w.yaml
            \(Shell.waypost) serve --config=w.yaml > serve.log 2> errors & service=$!
            seen 'http://127.0.0.2' serve.log || { cat errors; exit 9; }
            kill $service
            wait $service
            """)
        #expect(result.output == "http://127.0.0.2\n")
        #expect(result.status == 0)
    }
}
