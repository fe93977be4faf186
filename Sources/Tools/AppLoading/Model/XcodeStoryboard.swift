import AppDefinition
import Foundation

/// A storyboard file that Xcode has written. Object ids are unique only within one file.
package struct XcodeStoryboard: Sendable, Equatable {
    /// The name by which other storyboards refer to this storyboard: the file name without its
    /// extension.
    package let name: String
    /// The name of the file, which the findings of an import show.
    package let file: String
    /// The object id of the initial view controller; nil if the storyboard has none.
    package let initialViewController: String?
    package let isLaunchScreen: Bool
    /// The scenes in the order of the file. References to other storyboards are also scenes.
    package let scenes: [XcodeScene]

    /// Reads a storyboard file. Blocks the thread until the file is read.
    /// - Parameter texts: the translated texts, by object id and property, such as
    ///   `abc-de-fgh.title`.
    /// - Throws: the reason why the file cannot be read or is not a storyboard for iOS.
    package init(
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

    /// Decodes a storyboard from the bytes of a file.
    /// - Parameters:
    ///   - file: the name of the file. Without its extension, it becomes `name`.
    ///   - texts: the translated texts, by object id and property, such as `abc-de-fgh.title`.
    /// - Throws: the reason why the file is not a storyboard for iOS.
    package init(
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

/// A scene of an Xcode storyboard: a view controller, and the segues of all objects in the scene.
package struct XcodeScene: Sendable, Equatable {
    /// The object id of the view controller.
    package let id: String
    /// The name of the view controller's XML element, such as `tableViewController`.
    package let kind: String
    package let storyboardIdentifier: String?
    package let customClass: String?
    /// The title of the view controller itself, and not of its navigation item.
    package let title: String?
    package let navigationItem: XcodeNavigationItem
    package let tabBarItem: XcodeTabBarItem?
    package let hidesBottomBarWhenPushed: Bool
    /// The style in which UIKit presents the view controller if the segue names none; nil if the
    /// storyboard names none either.
    package let presentationStyle: String?
    package let isModalInPresentation: Bool
    package let toolbarItems: [XcodeBarItem]
    /// Whether the view controller is a navigation controller that hides its navigation bar.
    package let hidesNavigationBar: Bool
    /// Whether the view controller is a navigation controller that shows its toolbar.
    package let showsToolbar: Bool
    /// The scene to which this scene refers, if this scene is a storyboard reference; otherwise
    /// nil.
    package let reference: XcodeReference?
    /// The relationships between a container and its children, in the order of the file.
    package let relationships: [XcodeSegue]
    /// The segues of the scene without the relationships, in the order of the file.
    package let segues: [XcodeSegue]
    /// The buttons and bar items without a segue, in the order of the file.
    package let controls: [XcodeControl]
    package let table: XcodeTable?

    /// Decodes a scene from its XML element.
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
        presentationStyle = controller["modalPresentationStyle"]
        isModalInPresentation = controller.isSet("modalInPresentation")
        toolbarItems = XcodeBarItem.items(controller.child("toolbarItems")?.children ?? [])
        hidesNavigationBar = controller.isSet("navigationBarHidden")
        showsToolbar = controller["toolbarHidden"] == "NO"
        let isReference = ["viewControllerPlaceholder", "controllerPlaceholder"]
            .contains(controller.name)
        reference = isReference ? XcodeReference(controller) : nil
        let all = SegueSearch.segues(below: objects, controller: controller)
        relationships = all.filter { $0.kind == "relationship" }
        segues = all.filter { $0.kind != "relationship" }
        controls = XcodeControl.controls(below: objects)
        table = XcodeTable(in: controller)
    }
}

/// A storyboard reference, which stands for a scene of the same or another storyboard.
package struct XcodeReference: Sendable, Equatable {
    /// The name of the storyboard with the scene; nil if the scene is in the same storyboard as the
    /// reference.
    package let storyboardName: String?
    /// The storyboard identifier of the scene; nil for the initial view controller of the
    /// storyboard.
    package let referencedIdentifier: String?
    package let bundleIdentifier: String?

    init(_ node: XMLNode) {
        storyboardName = node["storyboardName"]
        referencedIdentifier = node["referencedIdentifier"]
        bundleIdentifier = node["bundleIdentifier"]
    }
}
