internal import AppDefinition
public import Foundation
internal import NavigationRules

/// An app under test: the scenes of its storyboard, and the data that they show.
public struct App: Sendable {
    let rules: NavigationRules.App
    /// The doubtful parts of the storyboard, such as a scene that no user can reach. Each text names
    /// the file and the place in it.
    public let warnings: [String]

    /// Reads a storyboard file and the files of its data. Blocks the thread meanwhile.
    ///
    /// JSON is read with Foundation's parser, unlike in the service: if an object has a key twice,
    /// one of the two values counts, and the number `4.0` is shown as `4`.
    /// - Parameters:
    ///   - file: a storyboard in JSON, or a property list in XML, binary or OpenStep format. The
    ///     paths in its member `data` are relative to the folder of the file.
    ///   - catalog: a property list of authors with their books, for a storyboard that has no
    ///     `data` of its own and shows books; nil for no catalog.
    /// - Throws: all defects of the files.
    public init(contentsOf file: URL, catalog: URL? = nil) throws(StoryboardError) {
        try self.init(StoryboardFile(path: file.path, json: .foundation), catalog: catalog)
    }

    /// Reads a storyboard from memory, and the files of its data.
    /// - Parameters:
    ///   - storyboard: JSON, or a property list in XML, binary or OpenStep format.
    ///   - folder: the folder of relative paths in the member `data`; nil for the current one.
    /// - Throws: all defects of the storyboard and its data.
    public init(_ storyboard: Data, folder: URL? = nil) throws(StoryboardError) {
        var file = StoryboardFile(
            path: (folder?.path ?? ".") + "/storyboard", json: .foundation)
        file.content = (Array(storyboard), isGenerated: false)
        try self.init(file, catalog: nil)
    }

    private init(_ file: StoryboardFile, catalog: URL?) throws(StoryboardError) {
        do throws(UnusableFile) {
            let books = try catalog.map { url throws(UnusableFile) in
                try Catalog.read(fromFile: url.path)
            }
            let read = try file.read(library: books.map { RecordSource($0.value) } ?? .empty)
            rules = NavigationRules.App(
                storyboard: read.value.storyboard, dataSource: read.value.dataSource)
            warnings = ((books?.warnings ?? []) + read.warnings).map(\.description)
        } catch {
            throw StoryboardError(defects: error.defects.map(\.description))
        }
    }

    /// The names of all scenes, sorted.
    public var scenes: [String] { rules.storyboard.scenes.keys.sorted() }

    /// Launches the app, which displays its first screen.
    /// - Parameters:
    ///   - user: the user who is logged in at the launch; nil for none.
    ///   - link: a path such as `/books/emma`, or a URL of the app, which the launch opens; nil for
    ///     the initial scene. If only users who are logged in can see its scene, the link waits for
    ///     the log-in.
    ///   - flags: the flags whose values differ from the storyboard's.
    ///   - isStrict: whether the window refuses what no user of the app can do, such as `push`; nil
    ///     for the storyboard's choice.
    /// - Returns: the window, whose `lastChange` has the events of the launch.
    /// - Throws: `link-not-found` and the other refusals of a link, or `flag-not-found`.
    public func launch(
        user: String? = nil, opening link: String? = nil, flags: [String: Bool] = [:],
        isStrict: Bool? = nil
    ) throws(Refusal) -> Window {
        do throws(NavigationError) {
            let (window, events) = try NavigationRules.Window.launch(
                rules, opening: link.map(Link.init(reference:)), flags: flags, username: user,
                isStrict: isStrict)
            return Window(window, in: rules, events: events)
        } catch {
            throw Refusal(error)
        }
    }
}

/// The reasons why a storyboard or its data cannot be used.
public struct StoryboardError: Error, Equatable, CustomStringConvertible {
    /// All defects, each with the file and the place in it.
    public let defects: [String]

    /// The defects, one a line.
    public var description: String { defects.joined(separator: "\n") }
}
