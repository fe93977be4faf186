import Foundation
import PackagePlugin

/// Puts a text file into the executable as a string, so that nothing has to be found at start.
/// SwiftPM's own `.embedInCode` makes an array literal, which takes the compiler 100 times as long.
@main
struct EmbedText: BuildToolPlugin {
    /// For each target that uses the plugin: the file, from the package's root, and the name of the
    /// string.
    private static let texts = [
        "WaypostAPI": (file: "openapi.yaml", name: "openAPIDocument"),
        "Accounts": (
            file: "Sources/Accounts/Resources/common-passwords.txt", name: "commonPasswordList"
        ),
    ]

    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        guard let text = Self.texts[target.name] else { return [] }
        let file = context.package.directoryURL.appending(path: text.file)
        let source = context.pluginWorkDirectoryURL.appending(path: "\(text.name).swift")
        let script = """
            { printf 'let \(text.name): StaticString = ####\"""\\n'
              cat "$1"
              printf '\\n\"""####\\n'; } > "$2"
            """
        return [
            .buildCommand(
                displayName: "Embedding \(text.file)", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", script, "sh", file.path, source.path],
                inputFiles: [file], outputFiles: [source])
        ]
    }
}
