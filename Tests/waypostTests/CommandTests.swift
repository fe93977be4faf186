import Foundation
import JSON
import MicrohttpdServer
import Testing
import WaypostCore
import WaypostTesting

@testable import waypost

/// Tests of the executable, started as a user starts it.
@Suite struct CommandTests {
    @Test("A catalog with defects prevents the start, and each defect is a line with its key path")
    func badCatalog() async throws {
        let result = try await Shell.run(
            """
            echo '({Author = Ada; Books = ({Title = ""; Cover = "../x.png"; });}, {Books = ();})' \
              > Books.plist
            \(Shell.waypost) serve --catalog Books.plist --log-format text
            """)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.hasPrefix("Books.plist: [0].Books[0].Title: ") })
        #expect(lines.contains { $0.hasPrefix("Books.plist: [0].Books[0].Cover: ") })
        #expect(lines.contains("Books.plist: [1].Author: missing; expected a string"))
    }

    @Test("Commands read and write files and folders whose name is one character long")
    func shortNames() async throws {
        let project = Shell.checkout.appending(path: "Examples/XcodeProject").path
        let result = try await Shell.run(
            """
            cp -r \(project)/. .
            \(Shell.waypost) check --storyboard . > check.txt; echo $?
            \(Shell.waypost) import . -o s; echo $?
            printf 'name: F\napp: s\nsteps: [{ back: , refused: no-back-button }]' > f
            \(Shell.waypost) test f --report json=j > test.txt; echo $?
            \(Shell.waypost) init --from . i > init.txt; echo $?
            ls s j i/app.json
            """)
        #expect(result.output == "0\n0\n0\n0\ni/app.json\nj\ns\n", "\(result.errors)")
    }

    @Test(
        "With a log in JSON, each line about a start that fails is JSON",
        arguments: [
            ("serve --catalog Books.plist", ["error", "error", "critical"]),
            ("serve --storyboard App.json", ["warning", "critical"]),
            ("serve --store memory --seed none.yaml", ["critical"]),
            ("serve --store sqlite:/proc/none/store.sqlite", ["critical"]),
            ("serve --store memory --host 192.0.2.1", ["critical"]),
            ("serve --store memory --port 0 --admin-socket Books.plist", ["critical"]),
        ])
    func startThatFails(_ arguments: String, _ levels: [String]) async throws {
        let result = try await Shell.run(
            """
            echo '({Author = Ada; Books = ({Title = ""; Cover = "../x.png"; });}, {Books = ();})' \
              > Books.plist
            echo '{"name": "A", "initialScene": "x", "data": {"file": "Data.json", "levels": [
              {"rows": "as", "each": "a", "title": "t", "children": "bs"},
              {"rows": "bs", "each": "b", "title": "t"}]}, "scenes": {}}' > App.json
            echo '[{"t": "one"}]' > Data.json
            \(Shell.waypost) \(arguments)
            """)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        let entries = try result.errors.split(separator: "\n").map {
            try JSONValue(parsing: Array($0.utf8), maximumDepth: 8)
        }
        #expect(entries.map { $0["level"]?.text } == levels)
        #expect(entries.last?["message"]?.text == "the service cannot start")
        #expect(entries.last?["cause"]?.text?.isEmpty == false)
    }

    @Test("The first 100 defects are printed, with the number of the others")
    func manyDefects() async throws {
        let result = try await Shell.run(
            """
            { echo '('; yes '1,' | head -2499; echo '1)'; } > Books.plist
            \(Shell.waypost) check --catalog Books.plist
            """)
        #expect(result.status == 1)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 101)
        #expect(lines.first?.hasPrefix("Books.plist: [0]: ") == true)
        #expect(lines.last == "and 2400 more")
        let flow = try await Shell.run(
            """
            { echo 'name: A'; echo 'steps:'; yes '  - dance' | head -150; } > flow.yaml
            \(Shell.waypost) test flow.yaml
            """)
        #expect(flow.status == 2)
        #expect(flow.errors.split(separator: "\n").count == 101)
        #expect(flow.errors.hasSuffix("\nand 50 more\n"))
    }

    @Test(
        "Control characters in names from files are printed as escapes in the line of their finding"
    )
    func controlCharacters() async throws {
        let result = try await Shell.run(
            #"""
            cat > app.json << 'END'
            { "name": "App", "initialScene": "home",
              "scenes": { "home": { "kind": "blank", "select": "\u001b[2Jx\u0007\u009b\u202e" },
                          "a\nb": { "kind": "blank", "parent": "\ror\u2028" } } }
            END
            \#(Shell.waypost) check --storyboard app.json
            cat > app.json << 'END'
            { "name": "App\nstoryboard: \u001b]0;x\u0007", "initialScene": "home",
              "scenes": { "home": { "kind": "blank" } } }
            END
            \#(Shell.waypost) check --storyboard app.json
            """#)
        #expect(result.status == 0)
        let parent = #"no scene is named \ror\u{2028}"#
        let select = #"no scene is named \u{1B}[2Jx\u{07}\u{009B}\u{202E}"#
        #expect(
            result.errors.split(separator: "\n") == [
                #"app.json:2:13: scenes.a\nb.parent: \#(parent)"#,
                "app.json:2:52: scenes.home.select: \(select)",
            ])
        let name = #"App\nstoryboard: \u{1B}]0;x\u{07}"#
        #expect(result.output.contains("storyboard: \(name): 1 scene, 0 segments, 0 links"))
    }

    @Test("A finding is printed with at most 1,000 characters")
    func longFinding() async throws {
        let result = try await Shell.run(
            """
            { printf '{ name = a; "'; yes x | head -25000 | tr -d '\\n'; echo '" = 1; }'; } > app.plist
            \(Shell.waypost) check --storyboard app.plist
            """)
        #expect(result.status == 1)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("xxx…") })
        #expect(lines.allSatisfy { $0.count <= 1001 })
    }

    @Test(
        "An invalid argument of a command is an error that names it",
        arguments: [
            ("serve --port 99999", "--port"), ("serve --store attic", "--store"),
            ("serve --store sqlite:", "--store"),
            ("serve --store=", "--store"), ("serve --catalog", "--catalog"), ("dance", "dance"),
            ("serve --trusted-proxy nonsense", "--trusted-proxy"),
            ("serve --trusted-proxy 10.0.0.0/33", "--trusted-proxy"),
            ("serve --trusted-proxy 10.0.0.1,", "--trusted-proxy"),
            ("serve --max-new-sessions-per-address -1", "--max-new-sessions-per-address"),
            (
                "serve --max-new-sessions-per-address=-1",
                "--max-new-sessions-per-address must be 0 or more"
            ),
            (
                "serve --max-new-accounts-per-address=-1",
                "--max-new-accounts-per-address must be 0 or more"
            ),
            ("serve --sign-up maybe", "--sign-up"),
            ("serve --credential-ttl 90", "--credential-ttl"),
            ("account dance", "dance"), ("account add", "username"),
            ("test", "Missing expected argument '<flows> ...'"),
            (
                "test flows --url http://h --coverage",
                "--coverage and --coverage-threshold cannot be used together with --url"
            ),
            (
                "test flows --url http://h --coverage-threshold 9",
                "--coverage and --coverage-threshold cannot be used together with --url"
            ),
            (
                "test flows --coverage-threshold 100.5",
                "--coverage-threshold must be from 0 to 100"
            ),
            ("serve --allowed-host *.example", "--allowed-host *.example: expected the name"),
            ("test flows --report pdf=a.pdf", "--report"), ("test flows --report html", "--report"),
            (
                "check --catalog-keys cover",
                "--catalog-keys must be entries such as title=titleOfBook, separated by commas, "
                    + "with the names author, books, title and cover"
            ),
        ])
    func badArguments(_ arguments: String, _ mention: String) {
        #expect(refusal(of: arguments)?.contains(mention) == true)
    }

    @Test(
        "The command exits with 2 for an invalid argument, and for a file that it cannot read",
        arguments: [
            ("serve --credential-ttl 90", "--credential-ttl"),
            ("serve --catalog missing.plist", "missing.plist"),
            ("serve --store postgres:x", "--store"), ("account list --store memory", "sqlite:FILE"),
            ("serve --host ''", "--host: expected a name or an address"),
            ("serve --admin-socket ''", "--admin-socket: expected a path"),
            ("account list --admin-socket ''", "--admin-socket: expected a path"),
        ])
    func badArgumentsOfProcess(_ arguments: String, _ mention: String) async throws {
        let result = try await Shell.run("\(Shell.waypost) \(arguments)")
        #expect(result.status == 2)
        #expect(result.errors.contains(mention))
    }

    @Test(
        "The variable WAYPOST_CATALOG has the effect of --catalog", arguments: ["check", "links"])
    func environmentVariable(command: String) async throws {
        let result = try await Shell.run(
            "\(Shell.waypost) \(command)",
            environment: ["WAYPOST_CATALOG": "from-environment.plist"])
        #expect(result.errors.contains("from-environment.plist"))
    }

    @Test("Each command that loads an app takes its options from the environment")
    func commandsWithApps() {
        for command in ["links", "init", "import", "check", "test", "path"] {
            let arguments = EnvironmentOptions.insert(
                into: [command], from: ["WAYPOST_LANGUAGE": "fr"])
            #expect(arguments == [command, "--language=fr"])
        }
    }

    @Test("Options of the command line take precedence over those of the environment")
    func precedence() {
        let arguments = EnvironmentOptions.insert(
            into: ["serve", "--port", "1"],
            from: ["WAYPOST_PORT": "2", "WAYPOST_HOST": "::1", "OTHER": "3"])
        #expect(arguments == ["serve", "--host=::1", "--port=2", "--port", "1"])
    }

    @Test("Options of the environment are inserted after the subcommand of a command group")
    func commandGroups() {
        let environment = [
            "WAYPOST_STORE": "sqlite:a", "WAYPOST_PORT": "2", "WAYPOST_ADMIN_SOCKET": "s",
        ]
        let cases: [([String], [String])] = [
            (
                ["account", "list"],
                ["account", "list", "--store=sqlite:a", "--admin-socket=s"]
            ),
            (
                ["account", "add", "ada", "--store", "sqlite:b"],
                [
                    "account", "add", "--store=sqlite:a", "--admin-socket=s", "ada",
                    "--store", "sqlite:b",
                ]
            ),
            (
                ["store", "check"],
                ["store", "check", "--store=sqlite:a", "--admin-socket=s"]
            ),
            (["store", "migrate"], ["store", "migrate", "--store=sqlite:a"]),
            (["store", "reset", "--yes"], ["store", "reset", "--store=sqlite:a", "--yes"]),
            (["backup", "b"], ["backup", "--store=sqlite:a", "--admin-socket=s", "b"]),
            (["restore", "b"], ["restore", "--store=sqlite:a", "b"]),
            (["account"], ["account"]), ([], []), (["--help"], ["--help"]),
        ]
        for (arguments, expected) in cases {
            #expect(EnvironmentOptions.insert(into: arguments, from: environment) == expected)
        }
    }

    @Test("A value from the environment may begin with a dash") func leadingDash() throws {
        let arguments = EnvironmentOptions.insert(
            into: ["serve"], from: ["WAYPOST_CATALOG": "-books.plist"])
        let data = try Serve.parse(Array(arguments.dropFirst())).data
        #expect(data.catalog == "-books.plist")
    }

    @Test(
        "A stream's lifetime of 0 is no limit, with and without its unit",
        arguments: [("0", nil), ("0s", nil), ("90s", Duration.seconds(90))])
    func lifetime(_ argument: String, _ duration: Duration?) throws {
        let options = try Serve.parse(["--stream-lifetime=\(argument)"]).streams
        var configuration = Server.Configuration()
        #expect(options.apply(to: &configuration).lifetime == duration)
    }

    @Test(
        "A list of trusted proxies consists of addresses and networks with single commas",
        arguments: [
            ("127.0.0.1", 1), ("127.0.0.1,10.0.0.0/8,fd00::/8", 3), ("::1/128", 1), ("", nil),
            (",", nil), ("10.0.0.1,,10.0.0.2", nil), ("10.0.0.1, 10.0.0.2", nil),
            ("localhost", nil),
            ("10.0.0.0/-1", nil),
        ])
    func proxyLists(_ list: String, _ count: Int?) {
        #expect(NetworkList(argument: list)?.networks.count == count)
    }

    @Test(
        "waypost serve responds until SIGTERM or SIGINT and then exits with 0",
        arguments: ["TERM", "INT"])
    func stopSignal(_ signal: String) async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --store memory --port 0 > serve.log & service=$!
            url=$(seen 'http://[0-9.:]*' serve.log) || exit 9
            curl --silent "$url/livez"
            kill -\(signal) $service
            wait $service
            """)
        #expect(result.output == #"{"status":"live"}"#)
        #expect(result.status == 0)
    }

    @Test("A file such as the store's is refused as --admin-socket and stays unchanged")
    func adminSocketIsNoFile() async throws {
        let result = try await Shell.run(
            """
            echo precious > file
            for socket in store.sqlite file; do
              \(Shell.waypost) serve --port 0 --store sqlite:store.sqlite --admin-socket $socket
              echo "exit $?"
            done
            cat file
            \(Shell.waypost) store check --store sqlite:store.sqlite > /dev/null; echo "check $?"
            """)
        #expect(result.output == "exit 2\nexit 2\nprecious\ncheck 0\n")
        #expect(result.errors.contains("store.sqlite: the existing file is not a socket"))
        #expect(result.errors.contains("listen on file: the existing file is not a socket"))
    }

    @Test(
        "A service that cannot write its --ready-file leaves no admin socket and no log of the store"
    )
    func unwritableReadyFile() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --port 0 --store sqlite:store.sqlite --ready-file /nonexistent/x
            echo "exit $?"
            ls store.sqlite*
            """)
        #expect(result.output == "exit 2\nstore.sqlite\nstore.sqlite.lock\n")
        #expect(result.errors.contains("/nonexistent/x"))
    }

    @Test("A second service cannot use the first one's --admin-socket, and the first one keeps it")
    func adminSocketIsOneServices() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --store memory --port 0 --admin-socket socket > serve.log & service=$!
            seen 'http://' serve.log > started || exit 9
            \(Shell.waypost) serve --store memory --port 0 --admin-socket socket; echo "exit $?"
            \(Shell.waypost) account list --store sqlite:none --admin-socket socket > /dev/null
            echo "list $?"
            kill $service
            wait $service
            rm started
            ls
            """)
        #expect(result.output == "exit 2\nlist 0\nerrors\noutput\nserve.log\n")
        #expect(result.errors.contains("cannot listen on socket: another process uses this socket"))
    }

    @Test(
        "A service on loopback or with --allowed-host refuses unlisted public hosts",
        arguments: [
            ("", "localhost 200\napp.example 421\n"),
            ("--allowed-host app.example", "localhost 200\napp.example 200\n"),
            ("--allowed-host other.example --allowed-host App.example:", ""),
            ("--allowed-host '*'", "localhost 200\napp.example 200\n"),
            ("--trusted-proxy 127.0.0.1", "localhost 200\napp.example 200\n"),
            ("--host 0.0.0.0", "localhost 200\napp.example 200\n"),
            ("--host 127.1", "localhost 200\napp.example 421\n"),
            ("--host 0.0.0.0 --allowed-host b.example", "localhost 200\napp.example 421\n"),
        ])
    func allowedHosts(options: String, expected: String) async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --store memory --port 0 \(options) > serve.log & service=$!
            port=$(seen 'http://[0-9.]*:\\K[0-9]+' serve.log) || exit 9
            for host in localhost app.example; do
              curl --silent -o /dev/null -w "$host %{http_code}\\n" -H "Host: $host:$port" \\
                http://127.0.0.1:$port/livez
            done
            kill $service
            wait $service
            """)
        #expect(result.output == expected)
        if expected.isEmpty { #expect(result.errors.contains("--allowed-host App.example:")) }
    }

    @Test("waypost serve on a port in use exits with 2 and gives the reason") func portInUse()
        async throws
    {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --store memory --port 0 > serve.log & service=$!
            port=$(seen '127.0.0.1:\\K[0-9]+' serve.log) || exit 9
            \(Shell.waypost) serve --store memory --port $port
            status=$?
            kill $service
            exit $status
            """)
        #expect(result.status == 2)
        #expect(result.errors.contains("another process"))
    }
}
