import Foundation
import TestSupport
import Testing

@testable import AppLoading

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
            ProjectFolder(path: folder.path, limit: 100).storyboards
                == [
                    "App/\(chosen)/Main.storyboard", "App/en.lproj/Help.storyboard",
                    "Main.storyboard",
                ].map(folder.file).sorted())
    }

    @Test("The launch screen of a project is not imported, and its scenes are not in the app")
    func launchScreen() throws {
        func storyboard(_ id: String) -> String {
            let scene = """
                <scene sceneID="\(id)"><objects><viewController id="\(id)" storyboardIdentifier="\(id)" \
                sceneMemberID="viewController"/></objects></scene>
                """
            return String(decoding: XcodeStoryboard.bytes(scene, initial: id), as: UTF8.self)
        }
        try folder.write(storyboard("main"), to: "Main.storyboard")
        try folder.write(
            storyboard("splash").replacing("<document ", with: #"<document launchScreen="YES" "#),
            to: "LaunchScreen.storyboard")
        let imported = StoryboardImport(try XcodeProject(paths: [folder.path]))
        #expect(imported.json.contains(#""main""#))
        #expect(!imported.json.contains("splash"))
    }

    @Test("Hidden folders and folders that other tools make are no part of a project")
    func skippedFolders() throws {
        for name in [".git", ".build/checkouts", "Pods", "Carthage", "DerivedData", "build", "App"]
        {
            try folder.write(to: "\(name)/\(name.count).storyboard")
        }
        #expect(
            ProjectFolder(path: folder.path, limit: 100).storyboards
                == [folder.file("App/3.storyboard")])
    }

    @Test("An import of a folder with more files than it examines says so")
    func tooManyFiles() throws {
        let ignored =
            "has more than 3 files and folders: the others are ignored; name the folder of the "
            + "app, or its storyboards"
        for name in ["a", "b", "c"] { try folder.write(to: "\(name).txt") }
        func refusal() throws -> String? {
            #expect(throws: UnreadableStoryboard.self) {
                try XcodeProject(paths: [folder.path], fileLimit: 3)
            }?.reason
        }
        let none = "there is no storyboard for iOS in it"
        #expect(try refusal() == none)
        try folder.write(to: "d.txt")
        #expect(try refusal() == "\(none); it \(ignored)")
        let other = try TemporaryFolder()
        let scene = #"<scene sceneID="1"><objects><viewController id="a"/></objects></scene>"#
        let storyboard = try other.write(
            Data(XcodeStoryboard.bytes(scene, initial: "a")), to: "Main.storyboard")
        let project = try XcodeProject(paths: [storyboard, folder.path], fileLimit: 3)
        #expect(
            StoryboardImport(project).findings.map(\.description)
                == ["warning: \(folder.url.lastPathComponent): \(ignored)"])
    }

    private static func manifest(_ configurations: String) -> String {
        """
        { UIApplicationSceneManifest = { UISceneConfigurations = {
            UIWindowSceneSessionRoleApplication = \(configurations); }; }; }
        """
    }

    @Test(
        "The main storyboard is that of an Info.plist, first of all that of its scene manifest",
        arguments: [
            ("{ UIMainStoryboardFile = Start; }", "Start"),
            (manifest("( { UISceneStoryboardFile = Start; } )"), "Start"),
            (manifest("( { A = 1; }, { UISceneStoryboardFile = B; } )"), "B"),
            (manifest("{ Z = { UISceneStoryboardFile = Last; }; }"), "Last"),
            (manifest("( { A = { UISceneStoryboardFile = Deep; }; } )"), "Deep"),
            (manifest("( { A = { B = { UISceneStoryboardFile = Deeper; }; }; } )"), nil),
            ("{ UIMainStoryboardFile = A; B = { UISceneStoryboardFile = C; }; }", "C"),
            ("( UIMainStoryboardFile, Start )", nil), ("{ CFBundleName = Start; }", nil),
        ])
    func mainStoryboard(info: String, name: String?) throws {
        let file = try folder.write(info, to: "App/Info.plist")
        func found() -> String? {
            ProjectFolder(path: folder.path, limit: 100).mainStoryboards.first
        }
        #expect(found() == name)
        try FileManager.default.moveItem(atPath: file, toPath: folder.file("App/B-Info.plist"))
        try folder.write("{ UIMainStoryboardFile = Other; }", to: "App/C-Info.plist")
        #expect(found() == name ?? "Other")
    }

    /// Writes three storyboards, of which Part has no initial view controller.
    private func writeStoryboards(to place: String = "") throws {
        for name in ["Main", "Start", "Part"] {
            let scene = """
                <scene sceneID="1"><objects><viewController id="\(name)-1" \
                sceneMemberID="viewController"/></objects></scene>
                """
            try folder.write(
                Data(XcodeStoryboard.bytes(scene, initial: name == "Part" ? nil : "\(name)-1")),
                to: "\(place)\(name).storyboard")
        }
    }

    @Test("The app starts with the storyboard of the scene manifest, or with the one that is named")
    func entry() throws {
        try writeStoryboards()
        try folder.write(
            Self.manifest("( { UISceneStoryboardFile = Start; } )"), to: "Info.plist")
        func start(named name: String?) throws -> String? {
            let project = try XcodeProject(paths: [folder.path], initialStoryboard: name)
            return project.storyboards[project.entry].initialViewController
        }
        #expect(try start(named: nil) == "Start-1")
        #expect(try start(named: "Main") == "Main-1")
        for (name, reason) in [
            ("Home", "no storyboard is named Home; there are: Main, Part, Start"),
            ("Part", "Part has no initial view controller; name another storyboard"),
        ] {
            let error = #expect(throws: UnreadableStoryboard.self) { try start(named: name) }
            #expect(error?.reason == reason)
        }
    }

    @Test("An Info.plist that names no storyboard of the app, such as that of a watch, is skipped")
    func otherInfos() throws {
        try writeStoryboards(to: "App/")
        for (place, name) in [("App Part", "Part"), ("App Watch", "Interface"), ("App", "Start")] {
            try folder.write("{ UIMainStoryboardFile = \(name); }", to: "\(place)/Info.plist")
        }
        let project = try XcodeProject(paths: [folder.path])
        #expect(project.storyboards[project.entry].name == "Start")
    }

    @Test("The storyboards of other platforms are no part of a project")
    func otherPlatforms() throws {
        try folder.write(
            Data(
                XcodeStoryboard.bytes(
                    #"<scene sceneID="1"><objects><viewController id="a"/></objects></scene>"#,
                    initial: "a")), to: "App/Main.storyboard")
        let watch = #"<document type="com.apple.InterfaceBuilder.WatchKit.Storyboard"/>"#
        try folder.write(watch, to: "Watch/Interface.storyboard")
        #expect(try XcodeProject(paths: [folder.path]).storyboards.map(\.name) == ["Main"])
    }

    @Test("A storyboard without a language takes precedence over its copies beside it")
    func withoutLanguage() throws {
        try folder.write(to: "fr.lproj/Main.storyboard")
        try folder.write(to: "Main.storyboard")
        #expect(
            ProjectFolder(path: folder.path, limit: 100).storyboards == [
                folder.file("Main.storyboard")
            ])
    }
}
