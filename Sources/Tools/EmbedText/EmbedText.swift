import Foundation
import PackagePlugin

/// A build plugin that puts files into the executable as string constants, so that the executable
/// runs without any file beside it. The option `.embedInCode` of SwiftPM creates an array literal
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
        "AppLoading": [
            (file: "\(library)/Books.plist", name: "builtInCatalog"),
            (file: "\(library)/Library.json", name: "builtInStoryboard"),
        ],
        "waypost": [
            ("app.json", "starterApp"), ("notes.json", "starterNotes"),
            ("new.yaml", "starterNew"), ("read.yaml", "starterRead"),
            ("github.yml", "starterGitHub"), ("gitlab.yml", "starterGitLab"),
        ].map { (file: "Sources/Tools/waypost/Starter/\($0.0)", name: $0.1) },
        "Sessions": [
            (
                file: "Sources/Engine/Sessions/Accounts/Resources/common-passwords.txt",
                name: "commonPasswordList"
            )
        ],
    ]

    private static let library = "Sources/Tools/AppLoading/Resources"

    /// The files of the inspector, a web page of the service that shows and drives one session.
    private static let inspector = [
        ("index.html", "inspectorPage"), ("style.css", "inspectorStyle"),
        ("icon.svg", "inspectorIcon"), ("main.js", "inspectorMain"), ("api.js", "inspectorAPI"),
        ("dom.js", "inspectorDOM"), ("graph.js", "inspectorGraph"), ("head.js", "inspectorHead"),
        ("history.js", "inspectorHistory"), ("layout.js", "inspectorLayout"),
        ("log.js", "inspectorLog"), ("phone.js", "inspectorPhone"),
        ("replay.js", "inspectorReplay"), ("stream.js", "inspectorStream"),
        ("timeline.js", "inspectorTimeline"),
    ].map { (file: "Sources/Service/WaypostAPI/Inspector/Resources/\($0.0)", name: $0.1) }

    private static let stripping = #"sed -E 's/^ *//; /^(\/\/ .*|\/\*.*\*\/)?$/d'"#

    func createBuildCommands(
        context: PluginContext, target: any Target
    ) throws -> [Command] {
        let commands = (Self.texts[target.name] ?? []).map { command(context, $0.file, $0.name) }
        return target.name == "AppLoading" ? try commands + [covers(context)] : commands
    }

    /// Writes the covers of the Library as Base64, since a string constant is UTF-8.
    private func covers(_ context: PluginContext) throws -> Command {
        let folder = context.package.directoryURL.appending(path: Self.library + "/Covers")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
        let source = context.pluginWorkDirectoryURL.appending(path: "builtInCovers.swift")
        let script = """
            { echo 'let builtInCovers: [(name: StaticString, base64: StaticString)] = ['
              for file; do printf '("%s", "%s"),\\n' "$(basename "$file")" "$(base64 --wrap=0 "$file")"; done
              echo ']'; } > "$0"
            """
        return .buildCommand(
            displayName: "Embedding \(Self.library)/Covers", executable: URL(filePath: "/bin/sh"),
            arguments: ["-c", script, source.path] + files.map(\.path),
            inputFiles: files, outputFiles: [source])
    }

    private func command(_ context: PluginContext, _ path: String, _ name: String) -> Command {
        let file = context.package.directoryURL.appending(path: path)
        let source = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
        // A browser loads the inspector's files without indentation, blank lines and lines with
        // nothing but a comment: 11 KB of 90.
        let isPage = Self.inspector.contains { $0.name == name }
        let script = """
            { printf 'let \(name): StaticString = ####\"""\\n'
              \(isPage ? Self.stripping : "cat") "$1"
              printf '\\n\"""####\\n'; } > "$2"
            """
        return .buildCommand(
            displayName: "Embedding \(path)", executable: URL(filePath: "/bin/sh"),
            arguments: ["-c", script, "sh", file.path, source.path],
            inputFiles: [file], outputFiles: [source])
    }
}
