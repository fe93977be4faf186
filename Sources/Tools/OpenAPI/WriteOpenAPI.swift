import Foundation

/// Writes `openapi.yaml` of the package in the current folder: `swift run OpenAPI`, or `make
/// openapi`.
@main
enum WriteOpenAPI {
    static func main() throws {
        let package = URL(filePath: FileManager.default.currentDirectoryPath)
        let text = try APIDocument(package: package).text()
        try Data(text.utf8).write(to: package.appending(path: "openapi.yaml"))
    }
}
