import ArgumentParser
import Foundation
import Testing
import WaypostTesting

@testable import waypost

/// Compares the output of all commands with the files in `Golden`, which
/// `WAYPOST_GOLDEN=write swift test --filter GoldenTests` writes anew. A file shows each command, what
/// it prints (errors after an exclamation mark), and its exit status if that is not 0.
@Suite struct GoldenTests {
    /// A file of `Golden`, and the script whose output it holds. The script runs in a copy of
    /// `Golden/Files`, with Examples beside it. `w` runs a command of waypost.
    struct Case: Sendable, CustomTestStringConvertible {
        let file: String
        let script: String

        var testDescription: String { file }

        init(_ file: String, _ script: String) {
            self.file = file
            self.script = script
        }
    }

    private static let cases =
        [
            Case(
                "init.txt",
                """
                w init app
                find app -type f | sort
                w init app
                w init --from Main.storyboard imported
                w init --from broken.storyboard other
                echo '{"scenes": {"detail": {"kind": "nonsense"}}}' > options.json
                w init --from Main.storyboard --import-options options.json other
                sed 's/destination="det-1"/destination="lst-1"/' Main.storyboard > lost.storyboard
                w init --from lost.storyboard lost
                w init notes.json/app
                w init --language fr other
                """),
            Case(
                "check.txt",
                """
                w check
                w check --storyboard notes.json
                w check --storyboard notes.json --fail-on-warnings
                w check --storyboard stuck.json
                w check --storyboard stuck.json --fail-on-warnings
                w check --storyboard defects.json
                w check --storyboard none.json
                w check --catalog defects.json
                w check --storyboard Main.storyboard
                w check --storyboard none/app.json
                printf 'name: Recipes' > recipes.yaml
                w check --storyboard recipes.yaml
                w check --storyboard notes.json --data none.json
                w check --data none.json
                w check --storyboard notes.json --language fr
                """),
            Case(
                "explore.txt",
                """
                w explore --storyboard notes.json
                w explore --storyboard notes.json --json
                w explore --storyboard notes.json --max-rows 1
                w explore --storyboard notes.json --max-rows 0
                w explore --storyboard stuck.json --flows found
                w explore --storyboard stuck.json --json
                w explore --storyboard defects.json
                w explore --storyboard notes.json --flows notes.json/found
                head -n 100 found/*
                """),
            Case(
                "path.txt",
                """
                w path launch newNote --storyboard notes.json
                w path launch note --storyboard notes.json --json
                w path launch note --storyboard notes.json --max-rows 0
                w path /notes/groceries newNote --storyboard notes.json
                w path '@flows/notes.yaml#A flow after the one that failed' newNote
                w path @flows/notes.yaml newNote
                w path @strict.yaml note
                w path @flags.yaml more
                w path launch island --storyboard stuck.json --explain
                w path launch island --storyboard stuck.json --explain --json
                w path launch nots --storyboard notes.json
                w path launch tabs --storyboard Examples/Bookshop/Bookshop.json
                """),
            Case(
                "import.txt",
                """
                w import Main.storyboard
                w import Main.storyboard --fail-on-warnings -o out.json
                w import broken.storyboard
                w import none.storyboard
                echo '{"scenes": {"detail": {"titel": "X"}}}' > options.json
                w import Main.storyboard --import-options options.json -o refused.json
                echo '{"AuthorsViewController": [{"title": "A", "segue": "none"}]}' > rows.json
                w import Examples/XcodeProject --data rows.json -o refused.json
                ls refused.json 2> /dev/null
                w import --graph Main.storyboard
                w import Examples/XcodeProject --language fr -o french.json
                grep title french.json
                w import Examples/XcodeProject --language fr --strings titles/Main.strings -o infos.json
                grep Infos infos.json
                """),
            Case(
                "diagram.txt",
                """
                w diagram --storyboard notes.json
                w diagram --storyboard stuck.json --format dot
                PATH="$PWD:$PATH" w diagram --storyboard notes.json --format svg
                PATH="$(dirname "$(command -v env)")/none" w diagram --storyboard notes.json --format svg
                $waypost test flows --tags new --report json=report.json > /dev/null
                w diagram --storyboard notes.json --coverage report.json
                w diagram --storyboard notes.json --coverage report.json --format dot
                w diagram --storyboard stuck.json --coverage report.json
                w diagram --coverage notes.json
                """),
            Case(
                "test.txt",
                """
                w test flows --jobs 1
                w test flows --jobs 1 --tags new --coverage
                w test flows --jobs 1 --tags new --coverage-threshold 90
                w test half.yaml --coverage-threshold 50
                w test half.yaml --coverage-threshold 50.1
                w test flows --jobs 1 --tags none,new
                w test flows --jobs 1 --shard 2/2
                w test flows --jobs 1 --shard 2/3 --fail-fast
                w test flows --jobs 1 --fail-fast
                w test library.yaml
                w test more
                w test flows --tags none
                w test flows --update --jobs 1
                grep rows: flows/notes.yaml
                w test flows --jobs 1
                """),
            report("junit", "xml"), report("json", "json"), report("html", "html"),
            Case(
                "verify.txt",
                """
                w verify Examples/Traces/library.jsonl --coverage
                w verify Examples/Traces/missing-callback.jsonl
                echo '{"waypostTrace": 1}' > empty.jsonl
                w verify empty.jsonl
                w verify none.jsonl
                """),
            Case(
                "links.txt",
                """
                w links --storyboard notes.json
                w links --storyboard notes.json --format json
                w links --storyboard notes.json --aasa site.json --assetlinks assetlinks.json \
                  --package com.example.notes
                w links --storyboard notes.json --assetlinks assetlinks.json --package com.example.other
                w links --storyboard notes.json --aasa notes.json
                echo '{"applinks": {"details": [}}' > site-2.json
                w links --storyboard notes.json --aasa site-2.json --assetlinks site-2.json \
                  --package com.example.notes
                w links --storyboard notes.json --aasa site.json --assetlinks assetlinks.json \
                  --package com.example.notes --format json
                w links --storyboard notes.json --aasa notes.json --format json
                w links --storyboard stuck.json
                w links --storyboard Examples/Patterns/Segments.json
                w links --storyboard Examples/Bookshop/Bookshop.json
                """),
            Case(
                "config.txt",
                """
                w config --config serve.yaml --host ::1 --allowed-host c.example
                WAYPOST_PORT=1 w config --config serve.yaml --profile test | grep -v '# default\\|# not set'
                echo 'prot: 1' > wrong.yaml
                w config --config wrong.yaml
                """),
            Case(
                "operator.txt",
                Script.serve + """
                    serve --seed seed.yaml
                    o() { w "$1" "$2" --store $store "${@:3}"; }
                    w healthcheck --port "${url##*:}"
                    echo 'difference engine' | o account add bob
                    echo short | o account add eve
                    o account list
                    o account list --json
                    o account disable bob
                    o account list
                    o account enable bob
                    echo 'analytical engine' | o account reset-password bob
                    o account export bob
                    o account remove bob
                    o session list --account ada
                    o session list --account ada --json
                    o session show 00000000000000000000000000000001
                    o session end 00000000000000000000000000000001
                    o session end 00000000000000000000000000000001
                    o session list --account none
                    o store check
                    w backup --store $store copy.sqlite
                    w backup --store $store copy.sqlite
                    w store reset --store $store --yes
                    kill $service; wait $service
                    cat serve.log serve.errors
                    w healthcheck --port "${url##*:}"
                    o account list
                    o store check
                    w restore --store $store copy.sqlite
                    w restore --store $store none.sqlite
                    w store reset --store $store --yes
                    w store check --store $store
                    w store migrate --store $store
                    """),
        ]

    /// The report of flows that pass, fail and are skipped, in one of its formats.
    private static func report(_ format: String, _ ending: String) -> Case {
        Case(
            "report.\(ending)",
            """
            $waypost test flows --jobs 1 --fail-fast --coverage --report \(format)=report > /dev/null
            cat report
            """)
    }

    private static func commands(
        below command: any ParsableCommand.Type, named path: [String]
    ) -> [[String]] {
        [path]
            + command.configuration.subcommands.flatMap {
                commands(below: $0, named: path + [$0._commandName])
            }
    }

    /// The page that each command prints for `--help`, by its golden file.
    private static let pages = commands(below: Waypost.self, named: []).map { command in
        let words = ["waypost"] + command
        return (
            file: "help/\(words.joined(separator: "-")).txt",
            command: (words + ["--help"]).joined(separator: " ")
        )
    }

    private static let folder = Shell.checkout.appending(path: "Tests/waypostTests/Golden")

    @Test("A command prints what its golden file holds", arguments: cases)
    func output(of each: Case) async throws {
        let result = try await Shell.run(
            """
            cp -R \(Self.folder.path)/Files files; cd files
            ln -s \(Shell.checkout.path)/Examples Examples
            waypost=\(Shell.waypost)
            w() {
              echo "$ waypost $*"
              "$waypost" "$@" 2> .errors
              local status=$?
              while IFS= read -r line; do echo "! $line"; done < .errors
              [ $status = 0 ] || echo "exit $status"
            }
            {
            \(each.script)
            } > ../all 2>&1
            sed "s|$PWD|FOLDER|g" ../all
            """,
            environment: ["XDG_STATE_HOME": "/state", "COLUMNS": "80"])
        try Self.compare(Self.steady(result.output), with: each.file)
    }

    @Test("Each command prints the help page that its golden file holds") func help() async throws {
        let result = try await Shell.run(
            """
            waypost() { \(Shell.waypost) "$@"; }
            page() { echo "$ $*"; "$@" || echo "exit $?"; echo 'end of the page'; }

            """ + Self.pages.map { "page \($0.command)\n" }.joined(),
            environment: ["XDG_STATE_HOME": "/state", "COLUMNS": "80"])
        #expect(result.errors.isEmpty)
        let pages = result.output.components(separatedBy: "end of the page\n")
        try #require(pages.count == Self.pages.count + 1)
        for (page, text) in zip(Self.pages, pages) { try Self.compare(text, with: page.file) }
    }

    /// Compares an output with a golden file, or writes the file anew.
    private static func compare(_ output: String, with file: String) throws {
        let url = folder.appending(path: file)
        if ProcessInfo.processInfo.environment["WAYPOST_GOLDEN"] == "write" {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try output.write(to: url, atomically: true, encoding: .utf8)
            return
        }
        let expected = try String(contentsOf: url, encoding: .utf8)
        let changes = lines(of: output).difference(from: lines(of: expected)).map {
            switch $0 {
            case .remove(let offset, let line, _): "- \(offset + 1): \(line)"
            case .insert(let offset, let line, _): "+ \(offset + 1): \(line)"
            }
        }
        #expect(changes.isEmpty, "\(file)\n\(changes.joined(separator: "\n"))")
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Replaces what differs from run to run: times, durations, ports and random ids.
    private static func steady(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME")
            .replacing(/[0-9]+\.[0-9]+ (ms|s)\b/) { "0.0 \($0.1)" }
            .replacing(/"seconds":[0-9.e-]+/, with: #""seconds":0"#)
            .replacing(/time="[0-9.]+"/, with: #"time="0""#)
            .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:PORT")
            .replacing(/--port [0-9]{4,5}/, with: "--port PORT")
            .replacing(/"duration_ms":[0-9.e-]+/, with: #""duration_ms":0"#)
            .replacing(/"request_id":"[^"]+"/, with: #""request_id":"ID""#)
            .replacing(/"port":[0-9]+/, with: #""port":0"#)
            .replacing(/process [0-9]+/, with: "process N")
            .replacing(/"id":"[0-9a-f]{32}"/, with: #""id":"ID""#)
    }

    @Test("Each golden file is that of a case") func noOtherFiles() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
            .filter { !$0.hasPrefix("Files") && $0 != "help" }
        #expect(Set(names) == Set(Self.cases.map(\.file) + Self.pages.map(\.file)))
    }
}
