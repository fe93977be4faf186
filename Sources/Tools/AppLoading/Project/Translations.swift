import AppDefinition
import Foundation

/// The translated texts of Xcode storyboards, from `.strings` files. A `.strings` file applies to
/// the storyboard of the same name, because object ids are unique only within one storyboard.
package struct Translations: Sendable {
    /// The paths of individual `.strings` files.
    package var files: [String] = []
    /// The language whose `.strings` files are read from the project, such as `fr`: the texts for
    /// `Base.lproj/Main.storyboard` are then in `fr.lproj/Main.strings`. Nil to read only `files`.
    package var language: String?

    package init() {}

    /// Returns the texts for a storyboard, by object id and property, such as `abc-de-fgh.title`.
    /// Texts from `files` take precedence over those of `language`. Blocks the thread until the
    /// files are read.
    /// - Throws: the reason why a file cannot be read.
    func texts(ofStoryboard path: String) throws(UnreadableStoryboard) -> [String: String] {
        let name = Self.name(path)
        var texts: [String: String] = [:]
        if let found = neighbour(of: path) {
            texts = try Self.read(found)
        }
        for file in files where Self.name(file) == name {
            texts.merge(try Self.read(file)) { $1 }
        }
        return texts
    }

    /// Checks that each of `files` has the name of a storyboard and that, if `language` is set, at
    /// least one storyboard has a file in this language.
    /// - Parameter storyboards: the paths of the storyboards.
    /// - Throws: an error that describes the first problem.
    func check(storyboards: [String]) throws(UnreadableStoryboard) {
        let names = Set(storyboards.map(Self.name))
        for file in files where !names.contains(Self.name(file)) {
            throw UnreadableStoryboard(
                reason: "\(URL(fileURLWithPath: file).lastPathComponent): no storyboard has this "
                    + "name; there are: \(names.sorted().joined(separator: ", "))")
        }
        guard let language, storyboards.allSatisfy({ neighbour(of: $0) == nil }) else { return }
        throw UnreadableStoryboard(
            reason: "no strings of the language \(language) are beside the storyboards; expected "
                + "\(language).lproj/\(names.sorted().first ?? "Main").strings")
    }

    private func neighbour(of storyboard: String) -> String? {
        guard let language, !language.contains("/") else { return nil }
        let folder = URL(fileURLWithPath: storyboard).deletingLastPathComponent()
        guard folder.pathExtension == "lproj" else { return nil }
        let file = folder.deletingLastPathComponent()
            .appendingPathComponent("\(language).lproj")
            .appendingPathComponent("\(Self.name(storyboard)).strings").path
        return FileManager.default.fileExists(atPath: file) ? file : nil
    }

    private static func name(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    private static func read(_ path: String) throws(UnreadableStoryboard) -> [String: String] {
        let file = URL(fileURLWithPath: path).lastPathComponent
        let bytes: [UInt8]
        do {
            bytes = try PropertyList.bytes(ofFile: path, atMost: XMLLimits.fileSize)
        } catch {
            throw UnreadableStoryboard(reason: "\(file): \(error.reason)")
        }
        return try texts(of: bytes, file: file)
    }

    /// Decodes a `.strings` file in UTF-8, or in UTF-16 with a byte order mark.
    /// - Parameter file: the file name that error messages show.
    /// - Returns: the texts, by object id and property, such as `abc-de-fgh.title`.
    /// - Throws: the reason why the file cannot be decoded.
    static func texts(
        of bytes: [UInt8], file: String
    ) throws(UnreadableStoryboard) -> [String: String] {
        var content = bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            guard let text = String(bytes: bytes, encoding: .utf16) else {
                throw UnreadableStoryboard(
                    reason: "\(file): not valid UTF-16; save the file as UTF-8")
            }
            content = Array(text.utf8)
        }
        // Xcode writes such a file for a storyboard without texts.
        guard content.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return [:] }
        let value: PropertyList
        do {
            value = try PropertyList(bytes: content)
        } catch {
            throw UnreadableStoryboard(reason: "\(file): \(error.reason)")
        }
        guard case .dictionary(let members) = value else {
            throw UnreadableStoryboard(
                reason: "\(file): not a file of strings; expected lines such as "
                    + "\"abc-de-fgh.title\" = \"Title\";")
        }
        return members.compactMapValues { value in
            if case .string(let text) = value { text } else { nil }
        }
    }
}
