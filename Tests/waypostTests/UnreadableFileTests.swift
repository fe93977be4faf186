import Foundation
import Testing
import WaypostTesting

/// Tests of what the commands print about files that they cannot read.
@Suite struct UnreadableFileTests {
    @Test(
        "A command that cannot read a file that exists prints the reason of the system",
        arguments: [
            "verify FILE", "path @FILE cover", "config --config FILE", "links --aasa FILE",
            "serve --store memory --port 0 --log-format text --seed FILE",
            "diagram --coverage FILE",
        ])
    func unreadable(command: String) async throws {
        #expect(
            try await errors(of: command) == [
                "loop: cannot be read: Too many levels of symbolic links",
                "folder: cannot be read: Is a directory",
            ])
    }

    @Test("waypost test prints the reason why a file of flows cannot be read")
    func flows() async throws {
        #expect(
            try await errors(of: "test FILE").first
                == "loop: cannot be read: Too many levels of symbolic links")
    }

    @Test("waypost test runs nothing if it cannot read a subfolder of a folder of flows")
    func subfolder() async throws {
        // The superuser can read each folder.
        let limited =
            geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""
        let result = try await Shell.run(
            """
            mkdir -p flows/in
            echo '{name: A, steps: [{sign-up: ada}]}' > flows/a.yaml
            chmod 0 flows/in
            \(limited) \(Shell.waypost) test flows; echo "exit $?"
            chmod 700 flows/in
            """)
        #expect(result.output == "exit 2\n")
        #expect(result.errors.hasSuffix("flows/in: cannot be read: Permission denied\n"))
    }

    /// Returns what a command prints about a link to itself and about a folder, without the places
    /// in these files.
    private func errors(of command: String) async throws -> [String] {
        let result = try await Shell.run(
            """
            ln -s loop loop; mkdir folder
            for file in loop folder; do
                \(Shell.waypost) \(command.replacing("FILE", with: "$file")) > output.txt; echo $?
            done
            """)
        #expect(result.output == "2\n2\n")
        return result.errors.replacing(/:1(:1)?:/, with: ":")
            .replacing("the file cannot", with: "cannot").split(separator: "\n").map(String.init)
    }
}
