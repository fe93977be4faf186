import Foundation
import PackagePlugin

/// Puts the text of `openapi.yaml` into the executable, so that it serves the file that it was built
/// with. SwiftPM's own `.embedInCode` makes an array literal, which takes the compiler 100 times as
/// long as this string.
@main
struct EmbedOpenAPI: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        let file = context.package.directoryURL.appending(path: "openapi.yaml")
        let source = context.pluginWorkDirectoryURL.appending(path: "OpenAPIDocument.swift")
        let script = """
            { printf 'let openAPIDocument: StaticString = ####\"""\\n'
              cat "$1"
              printf '\\n\"""####\\n'; } > "$2"
            """
        return [
            .buildCommand(
                displayName: "Embedding openapi.yaml", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", script, "sh", file.path, source.path],
                inputFiles: [file], outputFiles: [source])
        ]
    }
}
