import AppLoading
import Foundation
import NavigationRules
import TestSupport
import Testing
import WaypostCore

@testable import AppDefinition

/// A suite of tests that read the file of a storyboard.
protocol StoryboardFileSuite {
    var folder: TemporaryFolder { get }
}

extension StoryboardFileSuite {
    func read(_ storyboard: String) throws -> Decoded<StoryboardFile.Content> {
        try StoryboardFile(path: folder.write(storyboard, to: "App.json"), json: .jansson)
            .read(library: RecordSource(levels: [], records: []))
    }

    /// The descriptions without line and column, which `JSONPositionTests` check.
    func defects(_ storyboard: String) -> [String] {
        do {
            _ = try read(storyboard)
            return []
        } catch {
            return (error as? UnusableFile)?.defects.map {
                Diagnostic(file: $0.file, keyPath: $0.keyPath, reason: $0.reason).description
            } ?? ["\(error)"]
        }
    }
}
