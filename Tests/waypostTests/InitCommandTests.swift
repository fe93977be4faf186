import Foundation
import Testing
import WaypostTesting
import Yams

/// Tests of `waypost init`.
@Suite struct InitCommandTests {
    @Test("The small app has no findings, its flows pass, and a second run writes nothing")
    func smallApp() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) init app > output; cd app
            \(Shell.waypost) check --storyboard app.json --fail-on-warnings
            \(Shell.waypost) explore --storyboard app.json
            \(Shell.waypost) test flows | tail -1
            find . -type f | sort; sha256sum $(find . -type f) > ../before
            echo mine > flows/read.yaml; cd ..
            \(Shell.waypost) init app; echo "exit $?"
            cat app/flows/read.yaml; cd app; sha256sum --quiet --check ../before 2> /dev/null
            """)
        #expect(
            result.output.contains("storyboard: Notes: 3 scenes, 0 segments, 2 links, no login\n"))
        #expect(result.output.contains("no findings"))
        #expect(result.output.contains("2 passed"))
        #expect(
            result.output.contains(
                """
                ./.github/workflows/navigation.yml
                ./.gitlab-ci.yml
                ./app.json
                ./flows/new.yaml
                ./flows/read.yaml
                ./notes.json

                """))
        #expect(
            result.output.hasSuffix("exit 2\nmine\n./flows/read.yaml: FAILED\n"),
            "\(result.output)")
        #expect(result.errors.contains("app/flows/read.yaml: exists already\n"))
        #expect(result.errors.contains("nothing was written"))
    }

    @Test(
        "The next commands that init prints can be pasted into a shell",
        arguments: ["my app", "it's", "a;b", "plain/app-1.0"])
    func nextCommands(folder: String) async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) init "$FOLDER" | sed -n 's/^next: \\(cd .*\\); waypost test.*/\\1/p' > next
            cat next; . ./next && ls app.json
            """, environment: ["FOLDER": folder])
        #expect(result.output.hasSuffix("\napp.json\n"), "\(result.output) \(result.errors)")
        #expect(result.output.hasPrefix("cd plain") == (folder == "plain/app-1.0"))
    }

    @Test("With an Xcode project, the app is that of the project, and its flows pass")
    func project() async throws {
        let project = Shell.checkout.appending(path: "Examples/XcodeProject").path
        let result = try await Shell.run(
            """
            \(Shell.waypost) init --from \(project) > /dev/null && \(Shell.waypost) test flows
            ls flows | wc -l; \(Shell.waypost) init --from nowhere new; echo "exit $?"; ls -d new
            """)
        #expect(result.output.contains("2 passed"), "\(result.output)")
        #expect(result.output.hasSuffix("2\nexit 2\n"), "\(result.output)")
    }

    @Test("The executable alone, in an empty folder, has the Library and writes the small app")
    func alone() async throws {
        let result = try await Shell.run(
            """
            mkdir alone && cp \(Shell.waypost) alone/waypost && cd alone && ls
            ./waypost check && ./waypost init > /dev/null && ./waypost test flows | tail -1
            """)
        #expect(result.output.hasPrefix("waypost\ncatalog: 15 authors, 65 books, 65 covers\n"))
        #expect(result.output.contains("2 passed, 0 failed"), "\(result.output)\(result.errors)")
    }

    @Test("The CI jobs install waypost, and their other commands succeed in the folder")
    func jobs() async throws {
        let folder = Shell.checkout.appending(path: "Sources/Tools/waypost/Starter")
        func yaml(_ file: String) throws -> Node {
            try #require(
                try Yams.compose(
                    yaml: String(contentsOf: folder.appending(path: file), encoding: .utf8)))
        }
        let steps = try #require(try yaml("github.yml")["jobs"]?["navigation"]?["steps"]?.sequence)
        let gitHub = steps.compactMap { $0["run"]?.string }
        let script = try yaml("gitlab.yml")["navigation"]?["script"]?.sequence
        #expect(gitHub == script.map { $0.compactMap(\.string) })
        #expect(gitHub.first == #"pip install "${WAYPOST_WHEEL:?}""# && gitHub.count == 3)
        for command in gitHub.dropFirst() {
            let result = try await Shell.run(
                """
                waypost() { \(Shell.waypost) "$@"; }; waypost init > /dev/null && \(command)
                """)
            #expect(result.status == 0, "\(command): \(result.output)\(result.errors)")
        }
    }
}
