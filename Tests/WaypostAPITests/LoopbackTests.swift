import AppDefinition
import Foundation
import FoundationNetworking
import HTTPCore
import JSON
import TestSupport
import Testing
import WaypostTesting

/// Tests of the whole service over loopback, with real HTTP clients.
@Suite struct LoopbackTests {
    @Test("curl sends 1,000 requests over one connection") func keepAlive() async throws {
        let service = try TestService()
        let url = service.base.absoluteString + "/v1/catalog/authors"
        let result = try await Shell.run(
            """
            for i in {1..1000}; do printf 'url = "\(url)"\\noutput = /dev/null\\n'; done > config
            curl --silent --config config --write-out '%{http_code} %{num_connects}\\n' |
              sort | uniq -c
            """)
        let counts = result.output.split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(counts == [["999", "200", "0"], ["1", "200", "1"]])
    }

    @Test("A cover is sent byte for byte, completely and as a range") func cover() async throws {
        let service = try TestService()
        let book = try #require(service.catalog.authors.first?.books.first)
        let cover = try #require(book.cover)
        let file = try Data(
            contentsOf: Shell.checkout.appending(
                path: "Sources/Tools/AppLoading/Resources/Covers/\(cover.fileName)"))
        let url = service.base.appending(
            path: "v1/catalog/authors/\(service.catalog.authors[0].id)/books/\(book.id)/cover")
        let (whole, _) = try await URLSession.shared.data(from: url)
        #expect(whole == file)
        var request = URLRequest(url: url)
        request.setValue("bytes=100-199", forHTTPHeaderField: "Range")
        let (part, response) = try await URLSession.shared.data(for: request)
        #expect(part == file[100..<200])
        #expect((response as? HTTPURLResponse)?.statusCode == 206)
    }

    @Test("Selecting an author, book and cover works for every row of another catalog") func walk()
        async throws
    {
        let folder = try SmallLibrary()
        let service = try TestService(catalog: folder.catalog)
        let client = try await Client.loggedIn(service)
        #expect(try await client.send("GET", "screen").json["numberOfRows"]?.number == 4)
        for author in 0..<4 {
            _ = try await client.send("POST", "select-row", #"{"row": \#(author)}"#)
            let books = try #require(
                try await client.send("GET", "screen").json["numberOfRows"]?.number)
            for book in 0..<books {
                _ = try await client.send("POST", "select-row", #"{"row": \#(book)}"#)
                let screen = try await client.send("GET", "screen").json
                let isThere = (author * 7 + book) % 5 != 0
                #expect((screen["image"]?["url"]?.text != nil) == isThere)
                if let url = screen["image"]?["url"]?.text {
                    #expect(try await service.api.send("GET", url).status == 200)
                } else {
                    let id = service.catalog.authors[author].books[book].id
                    let reply = try await service.api.send(
                        "GET",
                        "/v1/catalog/authors/\(service.catalog.authors[author].id)/books/\(id)/cover"
                    )
                    #expect(reply.code == "cover-not-found")
                }
                _ = try await client.send("POST", "back")
            }
            _ = try await client.send("POST", "back")
        }
        #expect(try await client.session()["viewControllers"]?.count == 1)
    }
}

/// A catalog of 4 authors and 26 books, in a folder with covers of three types; a fifth of the
/// covers is missing.
private struct SmallLibrary {
    private let folder: TemporaryFolder
    var catalog: String { folder.file("Books.plist") }

    init() throws {
        folder = try TemporaryFolder()
        let kinds = ["jpg", "jpeg", "png"]
        let authors = try [7, 7, 7, 5].enumerated().map { author, count in
            [
                "Author": "Author \(author)",
                "Books": try (0..<count).map { book in
                    let number = author * 7 + book
                    let cover = "\(number).\(kinds[number % 3])"
                    if number % 5 != 0 {
                        try folder.write("image \(number)", to: cover)
                    }
                    return ["Title": "Title \(number)", "Cover": cover, "Year": "19\(10 + number)"]
                },
            ] as [String: Any]
        }
        try PropertyListSerialization.data(fromPropertyList: authors, format: .xml, options: 0)
            .write(to: URL(filePath: catalog))
    }
}
