import Foundation
import HTTPCore
import JSON
import TestSupport
import Testing
import WaypostTesting

@testable import AppDefinition
@testable import WaypostAPI

@Suite struct CatalogTests {
    private static let service = Result { try TestService() }

    @Test("A catalog date is served as in the file, even before the Gregorian calendar")
    func dates() async throws {
        let folder = try TemporaryFolder()
        let dates = [
            "0001-01-01T00:00:00Z", "1500-01-01T12:30:59Z", "1969-12-31T23:59:59Z",
            "2024-02-29T00:00:00Z", "9999-12-31T23:59:59Z",
        ]
        let attributes = dates.enumerated().map { "<key>D\($0)</key><date>\($1)</date>" }
        let catalog = try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><array><dict>
            <key>Author</key><string>A</string><key>Books</key><array><dict>
            <key>Title</key><string>B</string><key>Cover</key><string>b.png</string>
            \(attributes.joined())</dict></array>
            </dict></array></plist>
            """, to: "Books.plist")
        let service = try TestService(catalog: catalog)
        let book = try await service.api.send("GET", "/v1/catalog/authors/a/books/b")
        for (index, date) in dates.enumerated() {
            #expect(book.json["attributes"]?["D\(index)"]?.text == date)
        }
    }

    @Test("Every book of the bundled Library has a cover of 600 by 900 pixels and a year")
    func bundledLibrary() throws {
        let catalog = try Self.service.get().catalog
        let books = catalog.authors.flatMap(\.books)
        #expect(catalog.authors.count >= 8)
        #expect(books.count >= 40)
        for book in books {
            let cover = try #require(book.cover)
            guard case .embedded(let builtIn) = cover.source else {
                Issue.record("the executable does not contain \(cover.fileName)")
                continue
            }
            let image = builtIn.bytes
            #expect(image.count < 40_000)
            // The first two numbers of a PNG's header chunk are the width and the height.
            #expect(image[16..<24] == [0, 0, 2, 88, 0, 0, 3, 132])
            #expect(book.attributes.map(\.key) == ["Year"])
        }
    }

    @Test("A book's attribute that is a number in the property list is a number in the response")
    func attributes() async throws {
        let book = try await Self.service.get().api.send(
            "GET", "/v1/catalog/authors/jane-austen/books/emma")
        #expect(book.json["attributes"]?["Year"]?.number == 1815)
        #expect(book.json["author"]?["name"]?.text == "Jane Austen")
    }

    @Test("A dictionary in a book's attributes is an object with its keys in alphabetic order")
    func dictionary() async throws {
        let folder = try TemporaryFolder()
        let catalog = try folder.write(
            "({ Author = Ada; Books = ({ Title = Notes; Size = { W = 2; H = (3, {}); }; }); })",
            to: "Books.plist")
        let service = try TestService(catalog: catalog)
        let book = try await service.api.send("GET", "/v1/catalog/authors/ada/books/notes")
        #expect(book.body.contains(#""Size":{"H":["3",{}],"W":"2"}"#), "\(book.body)")
    }

    @Test(
        "An unknown author, book or cover and an invalid page each have their own problem",
        arguments: [
            ("/v1/catalog/authors/nobody", "author-not-found"),
            ("/v1/catalog/authors/jane-austen/books/nothing", "book-not-found"),
            ("/v1/catalog/authors/nobody/books/emma/cover", "author-not-found"),
            ("/v1/catalog/authors/jane-austen/books/nothing/cover", "book-not-found"),
            ("/v1/catalog/authors?after=nobody", "invalid-query"),
            ("/v1/catalog/authors?limit=1001", "invalid-query"),
            ("/v1/catalog/authors/", "not-found"),
        ])
    func unknown(_ path: String, _ code: String) async throws {
        #expect(try await Self.service.get().api.send("GET", path).code == code)
    }

    @Test("A book without a cover has null for its picture, and its cover is 404 cover-not-found")
    func noCover() async throws {
        let folder = try TemporaryFolder()
        let catalog = try folder.write(
            "({ Author = Ada; Books = ({ Title = Notes; }); })", to: "Books.plist")
        let service = try TestService(catalog: catalog)
        let book = "/v1/catalog/authors/ada/books/notes"
        #expect(try await service.api.send("GET", book).json["cover"] == .null)
        let cover = try await service.api.send("GET", book + "/cover")
        #expect(cover.status == 404 && cover.code == "cover-not-found")
        let client = try await Client.loggedIn(service)
        let change = try await client.send("POST", "open", #"{"path": "/authors/ada/books/notes"}"#)
        #expect(change.json["session"]?["screen"]?["image"] == .null)
        let screen = try await client.send("GET", "screen").json
        #expect(screen["kind"]?.text == "image" && screen["image"] == .null)
    }

    private static let cover = "/v1/catalog/authors/jane-austen/books/emma/cover"

    @Test("A conditional request for a cover with its current tag is a 304") func notModified()
        async throws
    {
        let service = try Self.service.get()
        let whole = try await service.api.send("GET", Self.cover)
        let tag = try #require(whole.headers["ETag"])
        #expect(whole.status == 200)
        #expect(whole.headers["Content-Type"] == "image/png")
        let known = try await service.api.send("GET", Self.cover, headers: ["If-None-Match": tag])
        #expect(known.status == 304)
    }

    @Test("A range of a cover is sent only if If-Range has its current tag") func ifRange()
        async throws
    {
        let service = try Self.service.get()
        let whole = try await service.api.send("GET", Self.cover)
        let tag = try #require(whole.headers["ETag"])
        for (method, version, part) in [
            ("GET", tag, 0..<10), ("GET", "\"old\"", nil), ("HEAD", tag, nil),
        ] {
            let reply = try await service.api.send(
                method, Self.cover, headers: ["Range": "bytes=0-9", "If-Range": version])
            #expect(reply.status == (part == nil ? 200 : 206))
            #expect(
                reply.headers["Content-Range"]
                    == part.map { _ in "bytes 0-9/\(whole.bytes.count)" })
            #expect(reply.bytes == part.map { Array(whole.bytes[$0]) } ?? whole.bytes)
        }
    }

    @Test("A cover in a file that is replaced by one of the same size gets another tag")
    func replacedFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("image", to: "cover.png")
        func tag(modified seconds: Int) throws -> String? {
            let times = [
                timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0),
            ]
            try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
            let file = try FileResponse(Self.image(at: path), orElse: Problem(.coverNotFound, ""))
            let request = Request(method: .get, target: try RequestTarget("/"), headers: [:])
            return try file.response(to: request).headers["ETag"]
        }
        let first = try tag(modified: 1_700_000_000)
        #expect(try first == tag(modified: 1_700_000_000))
        #expect(try first != tag(modified: 1_700_000_001))
    }

    private static func image(at path: String) -> Cover {
        Cover(fileName: "cover.png", source: .file(path: path), mediaType: .png)
    }

    @Test("A cover that cannot be opened is a 500, and the log has the reason")
    func unreadableFile() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: String(repeating: "x", count: 300)).path
        let problem = #expect(throws: Problem.self) {
            try FileResponse(Self.image(at: path), orElse: Problem(.coverNotFound, ""))
        }
        #expect(problem?.kind == .internalError)
        #expect(problem?.cause?.contains("name too long") == true)
    }

    /// Opens a new file in a folder with a lease, so that no one else can open it for a moment.
    /// - Returns: the path and the descriptor; nil if the file system has no leases.
    private static func leasedFile(
        in folder: TemporaryFolder
    ) throws -> (path: String, descriptor: Int32)? {
        let path = try folder.write("image", to: "cover.png")
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        // Glibc's module lacks these two commands of Linux.
        let (setSignal, setLease): (Int32, Int32) = (10, 1024)
        // The system tells the holder of a lease about an open; programs ignore this signal.
        guard fcntl(descriptor, setSignal, SIGURG) == 0,
            fcntl(descriptor, setLease, F_WRLCK) == 0
        else {
            close(descriptor)
            return nil
        }
        return (path, descriptor)
    }

    private static func hasLeases() throws -> Bool {
        guard let file = try leasedFile(in: TemporaryFolder()) else { return false }
        close(file.descriptor)
        return true
    }

    @Test(
        "A cover that another program has leased for a moment is a 503 that says when to return",
        .enabled(if: try CatalogTests.hasLeases(), "The file system has no leases."))
    func leasedFile() throws {
        let folder = try TemporaryFolder()
        let (path, descriptor) = try #require(try Self.leasedFile(in: folder))
        defer { close(descriptor) }
        let problem = #expect(throws: Problem.self) {
            try FileResponse(Self.image(at: path), orElse: Problem(.coverNotFound, ""))
        }
        #expect(problem?.kind == .busy)
        #expect(problem?.detail == "the file cannot be opened now: try again")
        #expect(problem?.headers["Retry-After"] == "1")
    }

    @Test(
        "A cover that was replaced by something else is a 404 without waiting",
        arguments: ["pipe", "folder", "link", "nothing"])
    func aCoverThatIsNoFileAnyMore(kind: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("cover.png")
        switch kind {
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "folder": #expect(mkdir(path, 0o700) == 0)
        case "link": #expect(symlink(try folder.write("secret", to: "secret"), path) == 0)
        default: break
        }
        let problem = #expect(throws: Problem.self) {
            try FileResponse(Self.image(at: path), orElse: Problem(.coverNotFound, "gone"))
        }
        #expect(problem?.kind == .coverNotFound)
    }

    @Test("A range beyond the end of a cover is a 416 with the size in Content-Range") func range()
        async throws
    {
        let reply = try await Self.service.get().api.send(
            "GET", Self.cover, headers: ["Range": "bytes=99999999-"])
        #expect(reply.code == "range-not-satisfiable")
        #expect(reply.headers["Content-Range"]?.hasPrefix("bytes */") == true)
    }
}
