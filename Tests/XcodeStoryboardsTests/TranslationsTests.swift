import AppDefinition
import Foundation
import TestSupport
import Testing

@testable import AppLoading

@Suite struct TranslationsTests {
    private static let strings = """
        /* Class = "UINavigationItem"; title = "Books"; ObjectID = "n"; */
        "n.title" = "Bücher";
        "b.normalTitle" = "Öffnen";
        "c.configuration.title" = "Teilen";
        """

    private static let scenes = """
        <scene sceneID="1"><objects>
          <viewController id="a" sceneMemberID="viewController">
            <view key="view" id="v"><subviews><button id="b">
              <state key="normal" title="Open"/>
              <connections><segue id="s" destination="a" kind="show"/></connections>
            </button><button id="c">
              <state key="normal" title="Button"/>
              <buttonConfiguration key="configuration" style="plain" title="Share"/>
              <connections><segue id="t" destination="a" kind="show"/></connections>
            </button></subviews></view>
            <navigationItem key="navigationItem" id="n" title="Books"/>
          </viewController></objects></scene>
        """

    @Test(
        "A file of strings in UTF-8 or UTF-16 translates titles by object id",
        arguments: [String.Encoding.utf8, .utf16])
    func encodings(encoding: String.Encoding) throws {
        let data = try #require(Self.strings.data(using: encoding))
        let texts = try Translations.texts(of: Array(data), file: "Main.strings")
        let storyboard = try XcodeStoryboard(
            XcodeStoryboard.bytes(Self.scenes), file: "Main.storyboard", texts: texts)
        #expect(storyboard.scenes[0].navigationItem.title == "Bücher")
        #expect(storyboard.scenes[0].segues.map { $0.owner?.title } == ["Öffnen", "Teilen"])
    }

    @Test(
        "A file of strings without any text translates nothing", arguments: ["", "\n", " \r\n\t"])
    func empty(text: String) throws {
        for encoding in [String.Encoding.utf8, .utf16] {
            let data = try #require(text.data(using: encoding))
            #expect(try Translations.texts(of: Array(data), file: "LaunchScreen.strings") == [:])
        }
    }

    @Test(
        "A file that holds no strings is refused with the mend",
        arguments: [
            ([0xFF, 0xFE, 0x00, 0xD8], "not valid UTF-16; save the file as UTF-8"),
            (
                Array("( a, b )".utf8),
                "not a file of strings; expected lines such as \"abc-de-fgh.title\" = \"Title\";"
            ),
            (
                Array("[1]".utf8),
                "the file is JSON; expected a property list (XML, binary, OpenStep)"
            ),
        ])
    func refused(bytes: [UInt8], reason: String) {
        let error = #expect(throws: UnreadableStoryboard.self) {
            try Translations.texts(of: bytes, file: "Main.strings")
        }
        #expect(error?.reason == "Main.strings: \(reason)")
    }

    @Test("A missing file of strings is refused with its name") func missing() throws {
        let folder = try TemporaryFolder()
        let storyboard = try folder.write(
            Data(XcodeStoryboard.bytes(Self.scenes, initial: "a")), to: "Main.storyboard")
        var translations = Translations()
        translations.files = [folder.file("Main.strings")]
        let error = #expect(throws: UnreadableStoryboard.self) {
            try XcodeProject(paths: [storyboard], translations: translations)
        }
        #expect(
            error?.reason == "Main.strings: the file cannot be opened: No such file or directory")
    }

    @Test("The language finds its strings beside the storyboard; one without strings is refused")
    func language() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("translations-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["Base.lproj", "de.lproj"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try Data(XcodeStoryboard.bytes(Self.scenes, initial: "a"))
            .write(to: folder.appendingPathComponent("Base.lproj/Main.storyboard"))
        try Data(Self.strings.utf8)
            .write(to: folder.appendingPathComponent("de.lproj/Main.strings"))
        var source = ImportSource(paths: [folder.path])
        source.translations.language = "de"
        #expect(try source.run().json.contains(#""title": "Bücher""#))
        // A language is a name and no path.
        for language in ["fr", "../\(folder.lastPathComponent)/de"] {
            source.translations.language = language
            let error = #expect(throws: UnusableFile.self) { _ = try source.run() }
            let reason = try #require(error?.defects.first?.reason)
            #expect(reason.contains("\(language).lproj/Main.strings"), "\(reason)")
        }
    }
}
