import Foundation
import PropertyLists

/// A storyboard as Xcode writes it. Object ids are unique in one file only.
public struct XcodeStoryboard: Sendable, Equatable {
    /// The name that other storyboards use: the file name without its extension.
    public let name: String
    /// The name of the file, for findings.
    public let file: String
    /// The object id of the initial view controller; nil if the storyboard has none.
    public let initialViewController: String?
    public let isLaunchScreen: Bool
    /// The scenes in the order of the file, references to other storyboards included.
    public let scenes: [XcodeScene]

    /// Reads a storyboard file. Blocks until it is read.
    /// - Parameter texts: translations, by object id and property, such as `abc-de-fgh.title`.
    /// - Throws: the reason why the file is no storyboard for iOS.
    public init(
        contentsOfFile path: String, texts: [String: String] = [:]
    ) throws(UnreadableStoryboard) {
        let bytes: [UInt8]
        do {
            bytes = try PropertyList.bytes(ofFile: path, atMost: XMLLimits.fileSize)
        } catch {
            throw UnreadableStoryboard(reason: error.reason)
        }
        try self.init(bytes, file: URL(fileURLWithPath: path).lastPathComponent, texts: texts)
    }

    /// Decodes a storyboard that is in memory.
    public init(
        _ bytes: [UInt8], file: String, texts: [String: String] = [:]
    ) throws(UnreadableStoryboard) {
        let document = try XMLDocumentReader.root(of: bytes)
        if !texts.isEmpty { document.translate(texts) }
        try Self.checkIsForIOS(document)
        self.file = file
        name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        initialViewController = document["initialViewController"]
        isLaunchScreen = document.isSet("launchScreen")
        scenes = (document.child("scenes")?.children ?? []).compactMap(XcodeScene.init)
    }

    private static func checkIsForIOS(_ document: XMLNode) throws(UnreadableStoryboard) {
        guard document.name == "document" || document.name == "archive" else {
            throw UnreadableStoryboard(
                reason: "not a storyboard: its root is <\(document.name)>; expected <document>")
        }
        let type = document["type"] ?? ""
        let runtime = document["targetRuntime"] ?? ""
        guard !type.contains("WatchKit"), !runtime.hasPrefix("watch") else {
            throw UnreadableStoryboard(
                reason: "a storyboard for watchOS, which has no navigation controllers of UIKit; "
                    + "import the storyboards of the iOS app", isOfOtherPlatform: true)
        }
        guard !runtime.hasPrefix("MacOSX"), !type.contains(".Cocoa.") else {
            throw UnreadableStoryboard(
                reason: "a storyboard for macOS, which has windows in place of navigation "
                    + "controllers; import the storyboards of the iOS app", isOfOtherPlatform: true)
        }
        guard type.contains("Storyboard"), document.name == "document" else {
            throw UnreadableStoryboard(
                reason: "not a storyboard, but a file of the type \(type.prefix(100)); "
                    + "import files whose names end in .storyboard")
        }
    }
}

/// A scene: its view controller, and the segues of all objects of the scene.
public struct XcodeScene: Sendable, Equatable {
    /// The object id of the view controller.
    public let id: String
    /// The element's name, such as `tableViewController`.
    public let kind: String
    public let storyboardIdentifier: String?
    public let customClass: String?
    /// The view controller's own title.
    public let title: String?
    public let navigationItem: XcodeNavigationItem
    public let tabBarItem: XcodeTabBarItem?
    public let hidesBottomBarWhenPushed: Bool
    public let isModalInPresentation: Bool
    public let toolbarItems: [XcodeBarItem]
    /// The place to which the scene refers; nil if the scene is no reference.
    public let reference: XcodeReference?
    /// The segues of the kind `relationship`, in the order of the file.
    public let relationships: [XcodeSegue]
    /// The other segues that have a destination, in the order of the file.
    public let segues: [XcodeSegue]
    public let table: XcodeTable?

    /// Decodes a scene.
    /// - Returns: nil if the scene has no view controller.
    init?(_ scene: XMLNode) {
        guard let objects = scene.child("objects"),
            let controller = objects.children.first(where: {
                $0["sceneMemberID"] == "viewController"
            }), let id = controller["id"]
        else { return nil }
        self.id = id
        kind = controller.name
        storyboardIdentifier = controller["storyboardIdentifier"]
        customClass = controller["customClass"]
        title = controller.string("title")
        navigationItem = XcodeNavigationItem(controller.child(key: "navigationItem"))
        tabBarItem = controller.child(key: "tabBarItem").map(XcodeTabBarItem.init)
        hidesBottomBarWhenPushed = controller.isSet("hidesBottomBarWhenPushed")
        isModalInPresentation = controller.isSet("modalInPresentation")
        toolbarItems = XcodeBarItem.items(controller.child("toolbarItems")?.children ?? [])
        let isReference = ["viewControllerPlaceholder", "controllerPlaceholder"]
            .contains(controller.name)
        reference = isReference ? XcodeReference(controller) : nil
        let all = SegueSearch.segues(below: objects, controller: controller)
        relationships = all.filter { $0.kind == "relationship" }
        segues = all.filter { $0.kind != "relationship" }
        table = XcodeTable(in: controller)
    }
}

/// A reference to a scene of this or another storyboard.
public struct XcodeReference: Sendable, Equatable {
    /// The storyboard; nil for the storyboard of the reference itself.
    public let storyboardName: String?
    /// The `storyboardIdentifier` of the scene; nil for the initial view controller.
    public let referencedIdentifier: String?
    public let bundleIdentifier: String?

    init(_ node: XMLNode) {
        storyboardName = node["storyboardName"]
        referencedIdentifier = node["referencedIdentifier"]
        bundleIdentifier = node["bundleIdentifier"]
    }
}
