import TestSupport
import Testing

@testable import XcodeStoryboards

@Suite struct ProjectFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Of the copies of a storyboard in several languages, one is imported",
        arguments: [
            (["Base.lproj", "Arabic.lproj", "en.lproj", "fr.lproj"], "Base.lproj"),
            (["de.lproj", "en.lproj"], "en.lproj"), (["fr.lproj", "de.lproj"], "de.lproj"),
            (["fr.lproj"], "fr.lproj"),
        ])
    func languages(folders: [String], chosen: String) throws {
        for name in folders { try folder.write(to: "App/\(name)/Main.storyboard") }
        try folder.write(to: "App/en.lproj/Help.storyboard")
        try folder.write(to: "Main.storyboard")
        #expect(
            ProjectFolder(path: folder.path).storyboards
                == [
                    "App/\(chosen)/Main.storyboard", "App/en.lproj/Help.storyboard",
                    "Main.storyboard",
                ].map(folder.file).sorted())
    }

    @Test("A storyboard without a language takes precedence over its copies beside it")
    func withoutLanguage() throws {
        try folder.write(to: "fr.lproj/Main.storyboard")
        try folder.write(to: "Main.storyboard")
        #expect(
            ProjectFolder(path: folder.path).storyboards == [folder.file("Main.storyboard")])
    }
}
