import WaypostCore

@testable import AppDefinition
@testable import AppLoading

/// A storyboard of Xcode. One that is read is imported, the same each time, and its import is JSON.
func fuzzXcodeStoryboard(_ bytes: [UInt8]) {
    guard let storyboard = try? XcodeStoryboard(bytes, file: "Main.storyboard"),
        let entry = try? XcodeProject.entry(of: [storyboard], named: nil, orElse: [])
    else { return }
    let project = XcodeProject(
        storyboards: [storyboard], entry: entry, unwindActions: [:], instantiated: [],
        findings: [])
    let json = StoryboardImport(project).json
    precondition(json == StoryboardImport(project).json)
    // Titles and names that are too long for a storyboard are found by its own check.
    precondition((try? PropertyList(bytes: Array(json.utf8), admittingJSON: .jansson)) != nil)
}
