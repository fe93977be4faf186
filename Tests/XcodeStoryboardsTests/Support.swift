@testable import AppLoading

extension XcodeStoryboard {
    /// Returns a storyboard for iOS with the given scenes, in Xcode's format.
    static func of(
        _ scenes: String, initial: String? = nil, name: String = "Main", after: String = ""
    ) throws -> XcodeStoryboard {
        try XcodeStoryboard(
            bytes(scenes, initial: initial, after: after), file: "\(name).storyboard")
    }

    static func bytes(_ scenes: String, initial: String? = nil, after: String = "") -> [UInt8] {
        let initial = initial.map { "initialViewController=\"\($0)\"" } ?? ""
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" version="3.0" \
            toolsVersion="9060" targetRuntime="iOS.CocoaTouch" propertyAccessControl="none" \(initial)>
            <scenes>
            \(scenes)
            </scenes>\(after)
            </document>
            """.utf8)
    }
}

extension StoryboardImport {
    /// The JSON of the storyboard on one line.
    var line: String {
        json.replacing(/\[\n */, with: "[").replacing(/\n *\]/, with: "]")
            .replacing(/\n */, with: " ")
    }
}

extension XcodeProject {
    /// Creates a project from storyboards in memory.
    init(_ storyboards: [XcodeStoryboard]) throws(UnreadableStoryboard) {
        self.init(
            storyboards: storyboards,
            entry: try Self.entry(of: storyboards, named: nil, orElse: []), unwindActions: [:],
            instantiated: [], findings: [])
    }
}
