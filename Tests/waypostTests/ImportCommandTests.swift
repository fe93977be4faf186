import Foundation
import Testing
import WaypostTesting

/// Tests of `waypost import` and `waypost init --from` with a project of Xcode.
@Suite struct ImportCommandTests {
    /// Makes the folder `options` with a file of options for the example project. The file names
    /// its data and their images relative to its folder.
    private static let options = """
        project=\(Shell.checkout.appending(path: "Examples/XcodeProject").path)
        mkdir -p options/covers real/deep; ln -s real/deep link; touch options/covers/emma.png
        echo '[{ "Name": "Emma", "Cover": "emma.png" }]' > options/books.json
        cat > options/options.json <<END
        { "data": [{ "file": "books.json", "images": "covers", "levels": [
            { "rows": "books", "each": "book", "title": "Name",
              "image": "cover", "imageKey": "Cover" }] }],
          "scenes": { "AuthorsViewController": { "rows": "books" } } }
        END

        """

    @Test(
        "The storyboard that an import writes finds the data of the options, in each folder",
        arguments: [
            ("import $project -o app.json", "app.json", "options/books.json"),
            ("import $project", "printed", "options/books.json"),
            ("import $project -o options/app.json", "options/app.json", "books.json"),
            ("import $project -o link/app.json", "link/app.json", "../../options/books.json"),
            ("init --from $project link/new", "link/new/app.json", "../../../options/books.json"),
        ])
    func data(command: String, output: String, path: String) async throws {
        let result = try await Shell.run(
            Self.options + """
                \(Shell.waypost) \(command) --import-options options/options.json > printed
                grep -c '"file": "\(path)"' \(output)
                \(Shell.waypost) check --storyboard \(output) | grep -c '1 book, 1 image'
                """)
        #expect(result.output == "1\n1\n", "\(result.errors)")
    }

    @Test("The flows of an imported app with data pass in the folder that init writes")
    func flows() async throws {
        let result = try await Shell.run(
            Self.options + """
                \(Shell.waypost) init --from $project --import-options options/options.json app \
                  > output
                cd app; \(Shell.waypost) test flows | tail -1
                """)
        #expect(result.output.contains(" passed, 0 failed"), "\(result.errors)")
    }
}
