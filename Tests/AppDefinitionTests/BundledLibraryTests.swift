import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import AppDefinition

/// Tests of the built-in files, which are in a folder beside the executable.
@Suite struct BundledLibraryTests {
    @Test("An executable that was moved alone names the missing folder and where it looked")
    func movedExecutable() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: UnusableFile.self) {
            try AppFiles().load(bundled: BundledLibrary(beside: folder.url))
        }
        let path = folder.url.appending(path: "x").deletingLastPathComponent().path
        #expect(
            error?.description
                == "waypost_AppDefinition.resources: this folder with the built-in files is missing "
                + "beside the executable, in \(path): install both together")
    }
}
