import Testing
import WaypostTesting

/// Tests of `waypost test`, `explore` and `diagram`.
@Suite struct FlowCommandTests {
    private static let files = """
        mkdir flows
        printf 'name: Good\\ntags: [a]\\nsteps: [{sign-up: ada}]\\n' > flows/1-good.yaml
        printf 'name: Bad\\ntags: [b]\\nsteps: [{expect: {title: Log Out}}]\\n' > flows/2-bad.yaml
        printf 'name: Odd\\nstep: []\\n' > odd.yaml
        flows() { \(Shell.waypost) test "$@"; echo "exit $?"; }

        """

    private static let otherApp =
        Shell.checkout.appending(path: "Examples/Patterns/Segments.json").path

    private func run(
        _ script: String, environment: [String: String] = [:]
    ) async throws -> Shell.Result {
        try await Shell.run(Self.files + script, environment: environment)
    }

    @Test("A terminal gets colours and progress, unless NO_COLOR is set") func terminal()
        async throws
    {
        let script = """
            script --quiet --return --command '\(Shell.waypost) test flows --jobs 1' /dev/null
            """
        let colored = try await run(script, environment: ["TERM": "xterm", "NO_COLOR": ""])
        #expect(colored.output.contains("\u{1B}[32mpassed\u{1B}[0m"))
        #expect(colored.output.contains("1 of 2"))
        let plain = try await run(script, environment: ["TERM": "xterm", "NO_COLOR": "1"])
        #expect(plain.output.contains("passed  Good"))
        #expect(!plain.output.contains("\u{1B}"))
    }

    @Test("explore shows progress on a terminal, unless NO_COLOR is set") func exploreTerminal()
        async throws
    {
        let explore = "\(Shell.waypost) explore --storyboard tabs.json"
        let script = """
            jq -n '{name: "Tabs", initialScene: "tabs", scenes: ({
              home: {kind: "table", title: "Home",
                rows: [range(300) | {title: "\\(.)", segue: "s\\(.)"}],
                segues: [range(300) | {identifier: "s\\(.)", kind: "show", scene: "s\\(.)"}]},
              tab: {kind: "navigation", root: "home"},
              tabs: {kind: "tabBar", tabs: [range(4) | {title: "\\(.)", scene: "tab"}]}}
              + ([range(300) | {key: "s\\(.)", value: {kind: "blank", title: "S"}}] | from_entries))}' \
              > tabs.json
            script --quiet --return --command '\(explore)' /dev/null
            echo; echo 'without a terminal'
            \(explore) 2>&1
            """
        let moving = try await run(script, environment: ["TERM": "xterm", "NO_COLOR": ""])
        let parts = moving.output.components(separatedBy: "without a terminal\n")
        let progress = /\r\e\[K[0-9]+ heads, [0-9]+ moves\r\e\[K/
        #expect(parts[0].contains(progress), "\(moving.output)")
        #expect(parts.last?.hasPrefix("Tabs: ") == true)
        #expect(parts.last?.contains("\u{1B}") == false)
        let plain = try await run(script, environment: ["TERM": "xterm", "NO_COLOR": "1"])
        #expect(plain.output.hasPrefix("Tabs: "))
        #expect(!plain.output.contains("\u{1B}"))
    }

    @Test("--watch runs again when a flow, the steps that it uses, its storyboard or data change")
    func watch() async throws {
        let result = try await Shell.run(
            """
            put() { cat > new; mv new "$1"; }
            app() {
              put app.json <<< '{"name": "A", "initialScene": "a", "data": {"file": "data.json",
                  "levels": [{"rows": "things", "each": "thing", "title": "name"}]},
                "scenes": {"a": {"kind": "table", "rows": "things", "title": "'$1'"}}}'
            }
            data() { put data.json <<< '[{"name": "'$1'"}]'; }
            flow() { put "$1" <<< "{name: Shown, app: ../app.json, steps: [$2]}"; }
            next() {
              while read -r -t 60 line <&3; do
                case $line in
                "waiting for changes") echo "$1:$found"; found=; return ;;
                changed:*) found=" ${line#*: }" ;;
                passed*|failed*) found="$found ${line%% *}" ;;
                esac
              done
              exit 9
            }
            mkdir flows; app One; data First
            flow flows/_used.yaml '{expect: {title: One}}'
            flow flows/a.yaml '{use: _used.yaml}'
            mkfifo lines
            \(Shell.waypost) test flows --jobs 1 --watch \
              --report json=flows/report.json > lines 2>&1 &
            trap "kill $!" EXIT
            exec 3< lines
            next start
            app Two; next storyboard
            flow flows/_used.yaml '{expect: {title: Two}}'; next steps
            flow flows/b.yaml '{expect: {title: One}}'; next added
            flow flows/b.yaml '{expect: {title: Two}}'; next changed
            rm flows/b.yaml; next removed
            flow flows/_used.yaml '{expect: {rows: [First]}}'; next steps
            data Second; next data
            """)
        #expect(
            result.output == """
                start: passed
                storyboard: app.json failed
                steps: flows/_used.yaml passed
                added: flows/b.yaml passed failed
                changed: flows/b.yaml passed passed
                removed: flows/b.yaml passed
                steps: flows/_used.yaml passed
                data: data.json failed

                """, "\(result.errors)")
        #expect(result.status == 0)
    }

    @Test("--report writes files in each format") func reports() async throws {
        let result = try await run(
            """
            flows flows --report junit=a.xml --report json=a.json --report html=a.html > /dev/null
            head -c 5 a.xml; echo; jq -c '[.passed, .failed]' a.json
            head -1 a.html
            """)
        #expect(result.output == "<?xml\n[1,1]\n<!DOCTYPE html>\n")
    }

    @Test("A flow can come from a pipe, also with a report") func pipe() async throws {
        let result = try await run(
            """
            flows <(cat flows/1-good.yaml) --report junit=a.xml | tail -1
            grep -c '<testcase' a.xml
            """)
        #expect(result.output == "exit 0\n1\n", "\(result.errors)")
    }

    @Test(
        "A report that would replace a file that the command reads is refused, and nothing runs",
        arguments: [
            ("test flows/a.yaml --report junit=flows/a.yaml", "flows/a.yaml"),
            ("test flows --report json=flows/a.yaml", "flows/a.yaml"),
            ("test flows --report junit=flows/_used.yaml", "flows/_used.yaml"),
            ("test flows --report html=app.json", "app.json"),
            ("test flows --report html=a.html --report html=data.json", "data.json"),
            ("test flows --report junit=link.xml", "link.xml"),
            ("test flows --report junit=hard.xml", "hard.xml"),
            ("test flows --storyboard other.json --report junit=other.json", "other.json"),
            ("verify trace.jsonl --report junit=trace.jsonl", "trace.jsonl"),
            ("verify trace.jsonl --storyboard app.json --report junit=data.json", "data.json"),
        ])
    func inputAsReport(command: String, report: String) async throws {
        let result = try await Shell.run(
            """
            mkdir flows
            echo '{"name": "A", "initialScene": "a", "data": {"file": "data.json",
                "levels": [{"rows": "things", "each": "thing", "title": "name"}]},
              "scenes": {"a": {"kind": "blank", "title": "One"}}}' | tee other.json > app.json
            echo '[{"name": "First"}]' > data.json
            echo '{name: Shown, app: ../app.json, steps: [{use: _used.yaml}]}' > flows/a.yaml
            echo '{name: Used, steps: [{expect: {title: One}}]}' > flows/_used.yaml
            echo '{"waypostTrace": 1}' > trace.jsonl
            ln -s data.json link.xml; ln flows/a.yaml hard.xml
            cat flows/* *.json* > before
            \(Shell.waypost) \(command); echo "exit $?"
            cat flows/* *.json* | cmp - before && ls a.html 2> /dev/null
            """)
        #expect(result.output == "exit 2\n", "\(result.errors)")
        #expect(result.errors.contains("Error: the report \(report) would replace "))
        #expect(result.errors.contains("which the command reads: name another file"))
    }

    @Test("A report of an earlier run in the folder of the flows is replaced")
    func earlierReport() async throws {
        let result = try await run(
            """
            for run in 1 2; do
              flows flows/1-good.yaml --report json=flows/report.json | tail -1
              flows flows --tags a --report json=flows/report.json | tail -1
            done
            """)
        #expect(result.output == "exit 0\nexit 0\nexit 0\nexit 0\n", "\(result.errors)")
    }

    @Test("--url runs the flows against a running service") func url() async throws {
        let result = try await Shell.run(
            Script.serve + Self.files + """
                serve
                flows flows --url $url --jobs 1 | grep -v ^$ | cut -d ' ' -f 1-3 | head -1
                flows flows --url $url --shard 1/2 | tail -1
                printf 'name: Other\\napp: \(Self.otherApp)\\nsteps: [{expect: {layers: 1}}]\\n' > other.yaml
                flows other.yaml --url $url | tail -1
                flows other.yaml flows/1-good.yaml --url $url | tail -1
                kill $service; wait $service
                """)
        #expect(result.output == "passed  Good\nexit 0\nexit 2\nexit 0\n", "\(result.errors)")
        #expect(result.errors.contains("no flow has run: all are skipped"))
    }

    @Test("explore exits with 1 for an error, and writes flows that pass") func explore()
        async throws
    {
        let result = try await run(
            """
            \(Shell.waypost) explore --json --flows out | jq -c '.findings'
            flows out | tail -1
            echo '{"name": "A", "initialScene": "a", "scenes": {
              "a": {"kind": "blank", "title": "A"}, "b": {"kind": "blank", "title": "B"}}}' > a.json
            \(Shell.waypost) explore --storyboard a.json; echo "exit $?"
            """)
        #expect(
            result.output == """
                []
                exit 0
                A: 1 heads, 0 moves
                error: no user can reach the scene b
                exit 1

                """)
    }

    @Test(
        "explore exits with 0 only if nothing is unknown, with 3 if something is, and with 2 if it fails"
    )
    func exploreStatus() async throws {
        let result = try await run(
            """
            put() { jq -n '{name: "A", initialScene: "a", scenes: {a: '"$1"', b: '"$2"'}}' > a.json; }
            explore() { \(Shell.waypost) explore --storyboard a.json "$@" 2> errors; echo "exit $?"; }
            scene() {
              echo '{kind: "blank", title: "T",
                segues: [{identifier: "on", kind: "show", scene: "'$1'"}]}'
            }
            put "$(scene b)" '{kind: "blank", title: "B"}'; explore | tail -1
            put "$(scene a)" '{kind: "blank", title: "B"}'; explore | tail -1
            put "$(scene b)" "$(scene b)"; explore | tail -2; cat errors
            explore --json | head -1 | jq -c .complete
            echo '[{"name": "A"}, {"name": "B"}]' > data.json
            jq -n '{name: "A", initialScene: "a",
              data: {file: "data.json", levels: [{rows: "things", each: "thing", title: "name"}]},
              scenes: {
                a: {kind: "blank", title: "A", unwindActions: ["home"],
                  buttons: [{title: "L", segue: "l"}],
                  segues: [{identifier: "l", kind: "present", scene: "l",
                    presentationStyle: "fullScreen"}]},
                l: {kind: "table", title: "L", rows: "things", select: {segue: "t"},
                  segues: [{identifier: "t", kind: "present", scene: "t"}]},
                t: {kind: "blank", title: "T", parameters: ["thing"]}}}' > a.json
            explore --max-rows 1 | tail -2; explore --max-rows 0 | tail -1
            put "$(scene c)" "$(scene b)"; explore | tail -1
            """)
        #expect(
            result.output == """
                exit 0
                exit 1
                no findings
                exit 0
                true
                incomplete: 2 findings are unknown; raise --max-rows, or set it to 0 for all rows
                exit 3
                exit 1
                exit 2

                """, "\(result.errors)")
    }

    @Test("The flows of explore name their storyboard relative to them, and can be moved with it")
    func exploreRelative() async throws {
        let result = try await run(
            """
            mkdir -p apps/one suite deep/er; ln -s ../deep/er suite/out
            echo '{"name": "A", "initialScene": "a",
              "scenes": {"a": {"kind": "blank", "title": "A"}}}' > apps/one/app.json
            (cd apps; \(Shell.waypost) explore --storyboard one/app.json --flows ../suite/flows)
            \(Shell.waypost) explore --storyboard "$PWD/apps/one/app.json" --flows suite/out
            \(Shell.waypost) explore --storyboard apps/one/app.json --flows apps/one
            grep -h app: suite/flows/scene-a.yaml deep/er/scene-a.yaml apps/one/scene-a.yaml
            mkdir moved; mv apps suite deep moved
            cd /; flows "$OLDPWD/moved/suite/flows" "$OLDPWD/moved/deep/er" | tail -1
            """)
        #expect(
            result.output.hasSuffix(
                """
                app: ../../apps/one/app.json
                app: ../../apps/one/app.json
                app: app.json
                exit 0

                """), "\(result.output) \(result.errors)")
    }

    @Test("diagram colours what flows have used") func diagram() async throws {
        let result = try await run(
            """
            flows flows/1-good.yaml --report json=a.json > /dev/null
            \(Shell.waypost) diagram --coverage a.json | grep -c ' used$'
            \(Shell.waypost) diagram --format dot | head -1
            """)
        #expect(result.output == "2\ndigraph \"Library\" {\n")
    }

    @Test("diagram takes the coverage of its storyboard, not of another one with the same name")
    func diagramOfApp() async throws {
        let result = try await Shell.run(
            """
            put() {
              mkdir $1
              echo '{"name": "A", "initialScene": "a", "scenes": {
                "a": {"kind": "blank", "title": "A"}, "'$1'": {"kind": "blank", "title": "T"}}}' \
                > $1/app.json
              printf 'name: A\napp: app.json\nsteps: [{push: '$1'}]\n' > $1/flow.yaml
            }
            diagram() {
              \(Shell.waypost) diagram --storyboard $1/app.json --coverage a.json | grep ' used$'
            }
            put one; put two; put three
            \(Shell.waypost) test one/flow.yaml two/flow.yaml --report json=a.json > /dev/null
            jq -r '.coverage[] | .app' a.json
            for app in one two; do diagram $app > $app.txt; wc -l < $app.txt; done
            diagram three
            """)
        #expect(result.output == "A\nA\n2\n2\n", "\(result.errors)")
        #expect(
            result.errors
                == "a.json: the report has no coverage of the storyboard A as it is now: run the flows "
                + "again\n")
    }

    @Test("diagram --format svg prints what the program dot of Graphviz draws of the graph")
    func graphviz() async throws {
        let result = try await run(
            """
            mkdir bin other
            printf '#!/bin/sh\necho "$@"; cat' > bin/dot
            \(Shell.waypost) diagram --format dot > graph
            chmod +x bin/dot
            echo > other/dot
            PATH="$PWD/other:$PWD/bin:$PATH" \(Shell.waypost) diagram --format svg > drawn
            echo "exit $?"
            { echo -Tsvg; cat graph; } | cmp - drawn && echo same
            """)
        #expect(result.output == "exit 0\nsame\n", "\(result.errors)")
    }

    @Test("diagram --format svg cannot run without Graphviz, and says so; nor if dot fails")
    func noGraphviz() async throws {
        let result = try await run(
            """
            mkdir bin none
            printf '#!/bin/sh\necho no fonts >&2; exit 3' > bin/dot
            chmod +x bin/dot
            PATH="$PWD/none" \(Shell.waypost) diagram --format svg; echo "exit $?"
            PATH="$PWD/bin:$PATH" \(Shell.waypost) diagram --format svg; echo "exit $?"
            """)
        #expect(result.output == "exit 2\nexit 2\n")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.contains("--format svg needs Graphviz") == true)
        #expect(lines.first?.contains("--format dot") == true)
        #expect(lines.dropFirst().first == "no fonts")
        #expect(lines.last?.hasSuffix("bin/dot failed with status 3") == true)
    }

    @Test("The README shows what its commands print, and the flow that it runs")
    func readme() async throws {
        let readme = try String(
            contentsOf: Shell.checkout.appending(path: "README.md"), encoding: .utf8)
        let file = Shell.checkout.appending(path: "Examples/Flows/Podcasts/podcasts.yaml")
        let flows = try String(contentsOf: file, encoding: .utf8)
        let flow = try #require(flows.components(separatedBy: "---\n").first)
        #expect(readme.contains("```yaml\n\(flow)```\n"))
        let blocks = readme.matches(of: /```console\n((?:(?!```).|\n)*)```/).map { $0.1 }
        #expect(blocks.count >= 2)
        for block in blocks {
            let commands = block.split(separator: "\n").filter { $0.hasPrefix("$ ") }
            let script = commands.map { "echo '\($0)'; \($0.dropFirst(2)) 2>&1\n" }.joined()
            let result = try await Shell.run(
                """
                waypost() { \(Shell.waypost) "$@"; }
                ln -s \(Shell.checkout.appending(path: "Examples").path) Examples
                \(script)
                """)
            func timeless(_ text: some StringProtocol) -> String {
                String(text).replacing(/[0-9]+\.[0-9]+ (ms|s)/, with: "TIME")
            }
            #expect(timeless(result.output) == timeless(block))
        }
    }
}
