import Testing

@testable import AppDefinition

@Suite struct InFolderTests {
    @Test(
        "A path in a file is relative to the folder of the file, and an absolute path stays",
        arguments: [
            ("b", "a", "b"), ("b", ".", "b"), ("b", "..", "b"), ("b", "", "b"), ("b", "/", "/b"),
            ("b", "/a", "/b"), ("b", "./a", "./b"), ("../b", "c/d/a", "c/d/../b"),
            ("b", "c/", "c/b"), ("/b", "c/a", "/b"), (".", "c/a", "c/."), (".", "a", "."),
            ("b", "c/\u{301}a", "c/b"),
        ])
    func inFolder(path: String, file: String, result: String) {
        #expect(path.inFolder(of: file) == result)
    }
}
