import Foundation
import PackagePlugin

/// Puts a text file into the executable as a string, so that nothing has to be found at start.
/// SwiftPM's own `.embedInCode` makes an array literal, which takes the compiler 100 times as long.
@main
struct EmbedText: BuildToolPlugin {
    /// For each target that uses the plugin: the files, from the package's root, and the names of
    /// the strings.
    private static let texts = [
        "WaypostAPI": [
            (file: "openapi.yaml", name: "openAPIDocument"),
            (file: "docs/problems.md", name: "problemsDocument"),
        ] + inspector,
        "Accounts": [
            (file: "Sources/Accounts/Resources/common-passwords.txt", name: "commonPasswordList")
        ],
    ]

    /// The files of the inspector, which are read in a browser.
    private static let inspector = [
        ("index.html", "inspectorPage"), ("style.css", "inspectorStyle"),
        ("icon.svg", "inspectorIcon"), ("main.js", "inspectorMain"), ("api.js", "inspectorAPI"),
        ("dom.js", "inspectorDOM"), ("graph.js", "inspectorGraph"),
        ("layout.js", "inspectorLayout"), ("log.js", "inspectorLog"),
        ("phone.js", "inspectorPhone"), ("stream.js", "inspectorStream"),
        ("timeline.js", "inspectorTimeline"),
    ].map { (file: "Sources/WaypostAPI/Inspector/Resources/\($0.0)", name: $0.1) }

    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        (Self.texts[target.name] ?? []).map { command(context, $0.file, $0.name) }
    }

    private func command(_ context: PluginContext, _ path: String, _ name: String) -> Command {
        let file = context.package.directoryURL.appending(path: path)
        let source = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
        let script = """
            { printf 'let \(name): StaticString = ####\"""\\n'
              cat "$1"
              printf '\\n\"""####\\n'; } > "$2"
            """
        return .buildCommand(
            displayName: "Embedding \(path)", executable: URL(filePath: "/bin/sh"),
            arguments: ["-c", script, "sh", file.path, source.path],
            inputFiles: [file], outputFiles: [source])
    }
}
