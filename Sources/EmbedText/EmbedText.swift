import Foundation
import PackagePlugin

/// A build plugin that puts text files into the executable as string constants, so that the service
/// needs no files when it starts. The option `.embedInCode` of SwiftPM creates an array literal
/// instead, for which the compiler takes 100 times as long.
@main
struct EmbedText: BuildToolPlugin {
    /// The files of each target that uses the plugin, and the names of their string constants. The
    /// paths are relative to the root of the package.
    private static let texts = [
        "WaypostAPI": [
            (file: "openapi.yaml", name: "openAPIDocument"),
            (file: "docs/problems.md", name: "problemsDocument"),
        ] + inspector,
        "Accounts": [
            (file: "Sources/Accounts/Resources/common-passwords.txt", name: "commonPasswordList")
        ],
    ]

    /// The files of the inspector, a web page of the service that shows and drives one session.
    private static let inspector = [
        ("index.html", "inspectorPage"), ("style.css", "inspectorStyle"),
        ("icon.svg", "inspectorIcon"), ("main.js", "inspectorMain"), ("api.js", "inspectorAPI"),
        ("dom.js", "inspectorDOM"), ("graph.js", "inspectorGraph"), ("head.js", "inspectorHead"),
        ("history.js", "inspectorHistory"), ("layout.js", "inspectorLayout"),
        ("log.js", "inspectorLog"),
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
