import Foundation
import Testing
import WaypostTesting

/// Tests of the files and the standard output that the commands write.
@Suite struct OutputTests {
    /// A copy of the device that is always full.
    private static let full = """
        mknod full c 1 7 2> /dev/null && : > full 2> /dev/null || ln -sf /dev/full full
        main=\(Shell.checkout.path)/Tests/waypostTests/Golden/Files/Main.storyboard

        """

    @Test(
        "A command whose output cannot be written says so and exits with 2",
        arguments: [
            "--help", "--version", "check", "import $main", "config", "explore", "test flow.yaml",
            "test bad.yaml", "path launch cover", "diagram", "account list --help",
        ])
    func fullDisk(command: String) async throws {
        let result = try await Shell.run(
            Self.full + """
                echo '{name: Good, steps: [{sign-up: ada}]}' > flow.yaml
                echo '{name: Bad, steps: [{expect: {title: Log Out}}]}' > bad.yaml
                \(Shell.waypost) \(command) > full
                """)
        #expect(result.status == 2)
        #expect(
            result.errors.contains("the output cannot be written: No space left on device\n"),
            "\(result.errors)")
    }

    @Test("Two reports in one file are refused before the run, unless it is the standard output")
    func twoReports() async throws {
        let result = try await Shell.run(
            """
            echo '{name: Good, steps: [{sign-up: ada}]}' > flow.yaml
            touch old; ln -s old link
            both() {
              \(Shell.waypost) test flow.yaml --report "junit=$1" --report "json=$2"
              echo "exit $?"
            }
            both new ./new; both old link; both /dev/null /dev/null | tail -1
            both /dev/stdout /dev/stdout > both.txt; grep -c '^<?xml\\|^{"passed"' both.txt
            """)
        #expect(result.output == "exit 2\nexit 2\nexit 0\n2\n")
        for file in ["./new", "link"] {
            #expect(
                result.errors.contains(
                    "two reports would be written to \(file): name another file for one of them"))
        }
    }

    @Test("A file that has to be written to the standard output names it if the disk is full")
    func fullStandardOutput() async throws {
        let result = try await Shell.run(
            Self.full + "\(Shell.waypost) import $main -o /dev/stdout > full")
        #expect(result.status == 2)
        #expect(
            result.errors.hasSuffix(
                "/dev/stdout: the file cannot be written: No space left on device\n"),
            "\(result.errors)")
    }

    @Test(
        "A file that its user may write, but not replace, keeps its owner; no other is written",
        .enabled(if: geteuid() == 0))
    func fileOfOtherOwner() async throws {
        let result = try await Shell.run(
            Self.full + """
                mkdir open closed
                for file in open/shared closed/shared closed/fixed; do echo old > $file; done
                cp \(Shell.waypost) $main .
                chmod 755 . closed waypost Main.storyboard; chmod 777 open */shared
                chmod 644 closed/fixed
                for file in open/shared closed/shared closed/fixed closed/new; do
                  setpriv --reuid 12345 --regid 12345 --clear-groups \
                    ./waypost import Main.storyboard -o $file 2>&1 | grep -v '^warning'
                done
                stat -c '%n %u' */*; grep -c '"name": "Main"' */*
                """)
        #expect(
            result.output == """
                closed/fixed: the file cannot be written: Permission denied
                closed/new: the file cannot be written: Permission denied
                closed/fixed 0
                closed/shared 0
                open/shared 0
                closed/fixed:0
                closed/shared:1
                open/shared:1

                """, "\(result.errors)")
    }

    @Test("A closed pipe is no failure") func closedPipe() async throws {
        let result = try await Shell.run(
            Self.full + """
                echo '{name: Good, steps: [{sign-up: ada}]}' > flow.yaml
                mkfifo pipe
                \(Shell.waypost) test flow.yaml > pipe & exec 3< pipe; exec 3<&-
                wait $!; echo "exit $?"
                """)
        #expect(result.output == "exit 0\n")
        #expect(result.errors.isEmpty)
    }

    @Test("A report into a missing folder is refused before the flows run")
    func missingFolder() async throws {
        let result = try await Shell.run(
            """
            echo '{name: Good, steps: [{sign-up: ada}]}' > flow.yaml
            \(Shell.waypost) test flow.yaml --report html=none/x.html; echo "exit $?"
            """)
        #expect(result.output == "exit 2\n")
        #expect(
            result.errors
                == "none/x.html: the file cannot be written: No such file or directory\n")
    }

    @Test("A report to standard output follows the results, and import writes into a pipe")
    func standardOutput() async throws {
        let result = try await Shell.run(
            Self.full + """
                echo '{name: Good, steps: [{sign-up: ada}]}' > flow.yaml
                \(Shell.waypost) test flow.yaml --report json=/dev/stdout > all
                grep -c '^passed' all; tail -n 1 all | jq .passed
                \(Shell.waypost) import $main -o >(jq -r .name > name) 2> /dev/null
                ls -l /dev/stdout | cut -c1
                """)
        #expect(result.output == "1\n1\nl\n", "\(result.errors)")
    }

    @Test("The graph of a storyboard goes to the file that import has to write")
    func graphFile() async throws {
        let result = try await Shell.run(
            Self.full + """
                \(Shell.waypost) import --graph $main -o graph.json; echo "exit $?"
                \(Shell.waypost) import --graph $main | diff - graph.json
                \(Shell.waypost) import --graph $main $main 2>&1 | head -1
                """)
        #expect(result.output == "exit 0\nError: --graph takes one file\n")
    }

    @Test(
        "An output of import that would replace a file that the command reads is refused",
        arguments: [
            ("import Main.storyboard -o Main.storyboard", "Main.storyboard"),
            ("import Main.storyboard -o link.json", "link.json"),
            (
                "import Main.storyboard --import-options options.json -o options.json",
                "options.json"
            ),
            ("import Main.storyboard --data rows.json -o rows.json", "rows.json"),
            ("import Main.storyboard --strings Main.strings -o Main.strings", "Main.strings"),
            ("import . -o Main.storyboard", "Main.storyboard"),
            ("import --graph Main.storyboard -o link.json", "link.json"),
            ("import . -o fr.lproj/Main.strings", "fr.lproj/Main.strings"),
        ])
    func inputAsOutput(command: String, output: String) async throws {
        let result = try await Shell.run(
            """
            mkdir -p in/fr.lproj; cd in
            cp \(Shell.checkout.path)/Tests/waypostTests/Golden/Files/Main.storyboard .
            ln -s Main.storyboard link.json; echo '{}' | tee options.json > rows.json
            echo '"a" = "b";' | tee fr.lproj/Main.strings > Main.strings
            cp -R . ../before
            \(Shell.waypost) \(command); echo "exit $?"
            diff -r . ../before
            """)
        #expect(result.output == "exit 2\n")
        #expect(
            result.errors.contains("Error: the output \(output) would replace "),
            "\(result.errors)")
    }
}
