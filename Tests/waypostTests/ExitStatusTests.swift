import Foundation
import Testing
import WaypostTesting

/// The exit statuses of all commands: 0 for success, 1 for findings, 2 for what could not run.
@Suite struct ExitStatusTests {
    /// Files for the commands: apps with and without defects, flows that pass and fail, traces.
    private static let files = """
        ln -s \(Shell.checkout.path)/Examples Examples
        app() { echo '{"name": "A", "initialScene": "a", "scenes": {"a": {"kind": "blank"'$1'}'$2'}}'; }
        app ', "title": "A"' > good.json
        app ', "title": "A"' ', "b": {"kind": "blank", "title": "B"}' > warned.json
        app ', "title": 1' > bad.json
        echo '{name: Good, steps: [{sign-up: ada}]}' > good.yaml
        echo '{name: Bad, steps: [{expect: {title: Log Out}}]}' > bad.yaml
        echo '{name: Odd, step: []}' > odd.yaml
        echo '{"waypostTrace": 1' > odd.jsonl
        echo '{"name": "A", "initialScene": "a", "data": {"file": "none.json",
          "levels": [{"rows": "things", "each": "thing", "title": "name"}]},
          "scenes": {"a": {"kind": "blank", "title": "A"}}}' > dataless.json
        echo notes > notes.txt
        mkdir state; export XDG_STATE_HOME=$PWD/state

        """

    /// An unknown option is refused before a command runs, in the same way for all commands.
    private static let commands: [(arguments: String, status: Int)] = [
        ("--help", 0), ("--version", 0), ("", 0), ("dance", 2), ("--dance", 2), ("help serve", 0),
        ("serve --help", 0), ("serve --dance", 2), ("serve --storyboard none.json", 2),
        ("serve --storyboard bad.json", 2), ("serve --port none", 2),
        ("serve --port 0 --store memory --host 192.0.2.1", 2),
        ("serve --config none.yaml", 2), ("serve --session-limit 1", 2),
        ("config", 0), ("config --config none.yaml", 2),
        ("check", 0), ("check --storyboard good.json", 0), ("check --storyboard bad.json", 1),
        ("check --storyboard warned.json", 0), ("check --storyboard dataless.json", 2),
        ("explore --storyboard dataless.json", 2),
        ("check --storyboard warned.json --fail-on-warnings", 1),
        ("check --storyboard none.json", 2), ("check --catalog none.plist", 2),
        ("check --catalog bad.json", 1),
        ("check --data none.json --storyboard Examples/XcodeProject", 2),
        ("check --strict", 2),
        ("import Examples/XcodeProject", 0), ("import notes.txt", 1),
        ("import none.storyboard", 2),
        ("import", 2), ("import --graph none.storyboard", 2), ("import --strict notes.txt", 2),
        ("import Examples/XcodeProject --import-options none.json", 2),
        ("import Examples/XcodeProject -o none/app.json", 2),
        ("test", 2), ("test good.yaml", 0), ("test bad.yaml", 1), ("test odd.yaml", 2),
        ("test none.yaml", 2),
        ("test good.yaml --storyboard none.json", 2),
        ("test good.yaml --storyboard bad.json", 2),
        ("test good.yaml --url http://127.0.0.1:1", 2),
        ("test good.yaml --jobs 0", 2), ("test good.yaml --report junit=none/a.xml", 2),
        ("explore --storyboard good.json", 0), ("explore --storyboard warned.json", 1),
        ("explore --storyboard warned.json --json", 1),
        ("explore --storyboard none.json", 2), ("explore --storyboard bad.json", 2),
        ("explore --max-states 1", 2), ("explore --states 1", 2),
        ("explore", 0), ("explore --max-rows 3", 3),
        ("path launch cover", 0), ("path launch cover --json", 0), ("path launch none", 2),
        ("path cover userAuth --gestures --max-rows 0", 1),
        ("path cover userAuth --gestures --explain", 1),
        ("path cover userAuth --gestures --max-rows 1", 3),
        ("path cover", 2), ("path /none%zz cover", 2),
        ("path @good.yaml cover", 0), ("path @good.yaml#Good cover", 0),
        ("path @good.yaml#None cover", 2), ("path @bad.yaml cover", 2),
        ("path @odd.yaml cover", 2), ("path @none.yaml cover", 2),
        ("verify", 2), ("verify Examples/Traces/library.jsonl", 0),
        ("verify Examples/Traces/missing-callback.jsonl", 1), ("verify odd.jsonl", 2),
        ("verify none.jsonl", 2),
        ("verify Examples/Traces/library.jsonl --storyboard none.json", 2),
        ("diagram", 0), ("diagram --storyboard none.json", 2),
        ("diagram --storyboard bad.json", 2),
        ("diagram --coverage none.json", 2),
        ("healthcheck --port 1", 1), ("healthcheck --port none", 2),
        ("backup copy.sqlite", 2), ("backup", 2), ("restore none.sqlite", 2),
        ("restore notes.txt", 2), ("restore", 2),
        ("store check", 2), ("store check --store sqlite:notes.txt", 1),
        ("store migrate --store memory", 2), ("store migrate", 2),
        ("store migrate --store postgres://127.0.0.1:1/none", 2),
        ("store reset", 2), ("store reset --yes", 0),
        ("store reset --yes --store sqlite:notes.txt", 2), ("store dance", 2),
        ("account", 0), ("account list", 2), ("account add ada < /dev/null", 2),
        ("account disable ada", 2), ("account enable ada", 2), ("account remove ada", 2),
        ("account reset-password ada < /dev/null", 2), ("account export ada", 2),
        ("account dance", 2),
        ("session", 0), ("session list --account ada", 2), ("session list", 2),
        ("session show 1", 2), ("session end 1", 2), ("session show", 2), ("session dance", 2),
    ]

    /// One script runs all commands, each with an empty folder for the state.
    @Test("A command exits with 0 for success, 1 for findings and 2 for what could not run")
    func status() async throws {
        let result = try await Shell.run(
            Self.files + """
                run() {
                  rm -rf state; mkdir state
                  \(Shell.waypost) "$@" > said 2> why
                  local status=$?
                  [ -s why ] || grep -q -e --max- said || status="$status without a reason"
                  echo "$status"; head -c 300 why | tr '\\n' ' '; echo
                }

                """ + Self.commands.map { "run \($0.arguments)\n" }.joined())
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 2 * Self.commands.count + 1, "\(result.errors)")
        for (index, command) in Self.commands.enumerated() {
            let (status, why) = (lines[2 * index], lines[2 * index + 1])
            if command.status == 2 {
                #expect(status == "2", "\(command.arguments): \(why)")
            } else {
                let number = status.prefix { $0 != " " }
                #expect(number == "\(command.status)", "\(command.arguments): \(why)")
            }
        }
    }

    @Test("A command exits with 0 if a running service does what it asks, and with 2 if it refuses")
    func running() async throws {
        let result = try await Shell.run(
            Script.serve + """
                serve
                run() { \(Shell.waypost) "$@" > said 2>> reasons; echo "$? $1 ${2-}"; }
                port=${url##*:}
                echo 'a rather long password' | run account add ada --store $store
                echo 'a rather long password' | run account add ada --store $store
                run account list --store $store
                run account disable nobody --store $store
                run session list --account nobody --store $store
                run session end 1 --store $store
                run backup copy.sqlite --store $store
                run backup copy.sqlite --store $store
                run store check --store $store
                run restore copy.sqlite --store $store
                run healthcheck --port $port
                run serve --port $port --store memory
                kill $service; wait $service
                run healthcheck --port $port
                run store check --store $store
                run restore copy.sqlite --store $store
                """)
        #expect(
            result.output == """
                0 account add
                2 account add
                0 account list
                2 account disable
                2 session list
                2 session end
                0 backup copy.sqlite
                2 backup copy.sqlite
                0 store check
                2 restore copy.sqlite
                0 healthcheck --port
                2 serve --port
                1 healthcheck --port
                0 store check
                0 restore copy.sqlite

                """, "\(result.errors)")
    }

    @Test(
        "A former name of an option is refused with the present one",
        arguments: [
            ("serve --session-limit 1", "--session-limit is now --max-new-sessions-per-address"),
            ("serve --sign-up-limit=1", "--sign-up-limit is now --max-new-accounts-per-address"),
            ("config --log-in-limit 1", "--log-in-limit is now --max-wrong-passwords-per-address"),
            ("serve --cached-sessions 1", "--cached-sessions is now --max-cached-sessions"),
            ("serve --max-waiting 1", "--max-waiting is now --max-waiting-changes"),
            ("config --event-retention 5", "--event-retention is now --history-retention"),
            ("check --strict", "--strict is now --fail-on-warnings"),
            ("import app.storyboard --strict", "--strict is now --fail-on-warnings"),
            ("explore --rows 1", "--rows is now --max-rows"),
            (
                "config --config old.yaml",
                "old.yaml:2:1: cached-sessions is now max-cached-sessions"
            ),
        ])
    func renamed(arguments: String, message: String) async throws {
        let result = try await Shell.run(
            """
            printf 'port: 1\\ncached-sessions: 1\\n' > old.yaml
            \(Shell.waypost) \(arguments)
            """)
        #expect(result.status == 2)
        #expect(result.errors.contains(message))
        #expect(result.output.isEmpty)
    }

    @Test(
        "A wrong value of an environment variable is refused with the name of the variable",
        arguments: [
            ("serve", ["PORT": "nine"], "WAYPOST_PORT: The value 'nine'"),
            ("config", ["HOST": "::1", "PORT": "nine", "STORE": "x"], "WAYPOST_PORT: The value"),
            ("serve --port nine", ["HOST": "::1"], "Error: The value 'nine'"),
            (
                "serve", ["CORS_ORIGIN": "a.example"],
                "WAYPOST_CORS_ORIGIN: --cors-origin a.example: expected scheme://"
            ),
            ("healthcheck", ["PORT": "-1"], "WAYPOST_PORT: The value '-1'"),
            ("store check", ["STORE": "x"], "WAYPOST_STORE: --store must be memory"),
            ("test flow.yaml", ["MAX_ITEMS": "x"], "WAYPOST_MAX_ITEMS: The value 'x'"),
        ])
    func wrongVariable(
        arguments: String, variables: [String: String], message: String
    ) async throws {
        let result = try await Shell.run(
            "\(Shell.waypost) \(arguments)",
            environment: Dictionary(
                uniqueKeysWithValues: variables.map { ("WAYPOST_\($0)", $1) }))
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix(message), "\(result.errors)")
    }

    @Test("A variable with the former name of an option is refused with the present one")
    func renamedVariable() async throws {
        let result = try await Shell.run(
            "\(Shell.waypost) config; \(Shell.waypost) check > /dev/null && echo checked",
            environment: ["WAYPOST_SESSION_LIMIT": "1"])
        #expect(result.output == "checked\n")
        #expect(
            result.errors.contains(
                "WAYPOST_SESSION_LIMIT is now WAYPOST_MAX_NEW_SESSIONS_PER_ADDRESS"))
    }
}
