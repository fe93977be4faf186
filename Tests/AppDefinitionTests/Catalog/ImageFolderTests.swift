import Foundation
import TestSupport
import Testing

@testable import AppDefinition

@Suite("The covers folder")
struct ImageFolderTests {
    private let outside: TemporaryFolder
    private let folder: TemporaryFolder
    private let covers: ImageFolder

    init() throws {
        outside = try TemporaryFolder()
        folder = try TemporaryFolder()
        covers = try #require(ImageFolder(path: folder.path, kind: "covers"))
    }

    private func refusal(of name: String) -> String? {
        if case .refused(let reason) = covers.cover(named: name) { reason } else { nil }
    }

    private func warning(about name: String) -> String? {
        if case .unavailable(let reason) = covers.cover(named: name) { reason } else { nil }
    }

    private func filePath(of cover: Cover?) -> String? {
        guard case .file(let path) = cover?.source else { return nil }
        return path
    }

    private func found(named name: String) -> Cover? {
        if case .cover(let cover) = covers.cover(named: name) { cover } else { nil }
    }

    @Test(
        "The extension of an image file determines its media type, in any case",
        arguments: [
            ("a.png", .png), ("a.JPG", .jpeg), ("a.b.jpeg", .jpeg), ("sub/a.gif", .gif),
            ("a b.WebP", .webp),
        ] as [(String, ImageMediaType)])
    func mediaTypes(name: String, expected: ImageMediaType) throws {
        try folder.write("image", to: name)
        let cover = try #require(found(named: name))
        #expect(cover.mediaType == expected)
        #expect(cover.fileName == name)
        let path = try #require(filePath(of: cover))
        #expect(path.hasPrefix("/") && path.hasSuffix(name))
    }

    @Test(
        "An image with an unknown extension is a warning",
        arguments: ["a.svg", "a.html", "a.", "a.png.txt"])
    func otherTypes(name: String) throws {
        try folder.write("image", to: name)
        #expect(
            warning(about: name)
                == "\(name) is not an image type that is served:"
                + " use .png, .jpg, .jpeg, .gif or .webp")
    }

    @Test(
        "A name without an extension finds the file with .png, then .jpg, then .jpeg",
        arguments: [
            (["kim.jpeg", "kim.jpg", "kim.png"], "kim.png", .png),
            (["kim.jpeg", "kim.jpg"], "kim.jpg", .jpeg), (["kim.jpeg"], "kim.jpeg", .jpeg),
        ] as [([String], String, ImageMediaType)])
    func withoutExtension(_ files: [String], _ expected: String, _ mediaType: ImageMediaType) throws
    {
        for folderName in ["", "sub.png/"] {
            for file in files + ["kim", "kim.gif"] {
                try folder.write("image", to: folderName + file)
            }
            let cover = try #require(found(named: folderName + "kim"))
            #expect(cover.fileName == folderName + expected && cover.mediaType == mediaType)
        }
    }

    @Test("A name without an extension and without such a file is a warning")
    func nothingWithoutExtension() throws {
        try folder.write("image", to: "kim")
        try folder.write("image", to: "kim.gif")
        try folder.write("image", to: "kim.png/a")
        #expect(
            warning(about: "kim")
                == "none of the files kim.png, kim.jpg, kim.jpeg is in the covers folder")
    }

    @Test("A name without an extension that stands for a link out of the folder is refused")
    func linkWithoutExtension() throws {
        try folder.link("kim.png", to: outside.path)
        #expect(refusal(of: "kim") != nil)
    }

    @Test("A missing image, a folder or a dangling link as an image is a warning")
    func missing() throws {
        try folder.write("image", to: "folder.png/a")
        try folder.link("dangling.png", to: outside.path + "/none.png")
        for name in ["none.png", "folder.png", "dangling.png", "folder.png/a/b.png"] {
            #expect(warning(about: name) == "no file \(name) in the covers folder")
        }
    }

    @Test(
        "An image name that leads out of the folder is refused, whether or not the file exists",
        arguments: ["", "/etc/passwd", "../a.png", "sub/../a.png", "..", "a\0.png", "a/../b.png"])
    func escapes(name: String) {
        #expect(refusal(of: name) != nil)
    }

    @Test("A link to an image outside the folder is refused, and one to an image inside is served")
    func links() throws {
        try outside.write("secret", to: "secret.png")
        try folder.write("image", to: "a.png")
        try folder.link("file.png", to: outside.path + "/secret.png")
        try folder.link("folder", to: outside.path)
        try folder.link("root.png", to: "/")
        try folder.link("inside.png", to: "a.png")
        for name in ["file.png", "folder/secret.png", "root.png"] {
            #expect(refusal(of: name) == "\(name) is a link that leads out of the covers folder")
        }
        #expect(filePath(of: found(named: "inside.png"))?.hasSuffix("/a.png") == true)
    }

    @Test("An image in a sibling folder with the same name prefix is refused")
    func sibling() throws {
        let sibling = folder.path + "-sibling"
        try FileManager.default.createDirectory(
            atPath: sibling, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: sibling) }
        try Data("secret".utf8).write(to: URL(fileURLWithPath: sibling + "/secret.png"))
        try folder.link("sibling.png", to: sibling + "/secret.png")
        #expect(refusal(of: "sibling.png") != nil)
    }

    @Test("A covers folder that is reached through a link is used like any other")
    func linkedFolder() throws {
        try folder.write("image", to: "a.png")
        try outside.link("covers", to: folder.path)
        let covers = try #require(ImageFolder(path: outside.path + "/covers", kind: "covers"))
        guard case .cover = covers.cover(named: "a.png") else {
            Issue.record("the cover is not found")
            return
        }
    }

    @Test("A covers folder that is missing or not a folder is refused")
    func noFolder() throws {
        #expect(try ImageFolder(path: folder.write("x", to: "file"), kind: "covers") == nil)
        #expect(ImageFolder(path: folder.path + "/none", kind: "covers") == nil)
    }
}
