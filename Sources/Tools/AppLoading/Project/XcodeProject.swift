import Foundation

/// The storyboards of an app, and the other parts of its Xcode project that the import uses.
package struct XcodeProject: Sendable {
    package let storyboards: [XcodeStoryboard]
    /// The index in `storyboards` of the storyboard with which the app starts.
    let entry: Int
    /// The classes whose source code declares an unwind action, by the selector of the action.
    let unwindActions: [String: [String]]
    /// The storyboard identifiers of the scenes that the source code creates.
    let instantiated: Set<String>
    /// The findings about the folders of the project. `StoryboardImport` adds those about
    /// scenes and segues.
    let findings: [ImportFinding]
}

extension XcodeProject {
    /// Reads storyboards. Blocks the thread until all files are read.
    /// - Parameters:
    ///   - paths: the paths of storyboard files, or of folders of Xcode projects.
    ///   - initialStoryboard: the name of the storyboard with which the app starts; nil to start
    ///     with the main storyboard that an Info.plist of the project names: the first that is in
    ///     the project and has an initial view controller. If there is none, the app starts with
    ///     another one that has: `Main`, else the first one to which no other storyboard refers,
    ///     else the first one.
    ///   - translations: the translated texts for the storyboards.
    ///   - fileLimit: the maximum number of files and folders that are examined in each project.
    ///     Further files are ignored, with a warning in `findings`.
    /// - Throws: the reason why the app cannot be imported.
    init(
        paths: [String], initialStoryboard: String? = nil,
        translations: Translations = Translations(), fileLimit: Int = 100_000
    ) throws(UnreadableStoryboard) {
        var storyboards: [XcodeStoryboard] = []
        var named: [String] = []
        var read: [String] = []
        var unwindActions: [String: [String]] = [:]
        var instantiated: Set<String> = []
        var findings: [ImportFinding] = []
        for path in paths {
            guard ProjectFolder.isFolder(path) else {
                read.append(path)
                storyboards.append(try Self.storyboard(path, translations))
                continue
            }
            let folder = ProjectFolder(path: path, limit: fileLimit)
            named += folder.mainStoryboards
            findings += folder.findings
            unwindActions.merge(folder.unwindActions) { $0 + $1 }
            instantiated.formUnion(folder.instantiated)
            for path in folder.storyboards {
                do throws(UnreadableStoryboard) {
                    storyboards.append(try Self.storyboard(path, translations))
                    read.append(path)
                } catch  where error.isOfOtherPlatform {
                    continue
                }
            }
        }
        storyboards =
            storyboards.count > 1 ? storyboards.filter { !$0.isLaunchScreen } : storyboards
        guard !storyboards.isEmpty else {
            let reasons = ["there is no storyboard for iOS in it"] + findings.map(\.reason)
            throw UnreadableStoryboard(reason: reasons.joined(separator: "; it "))
        }
        try translations.check(storyboards: read)
        self.init(
            storyboards: storyboards,
            entry: try Self.entry(of: storyboards, named: initialStoryboard, orElse: named),
            unwindActions: unwindActions, instantiated: instantiated, findings: findings)
    }

    private static func storyboard(
        _ path: String, _ translations: Translations
    ) throws(UnreadableStoryboard) -> XcodeStoryboard {
        let texts = try translations.texts(ofStoryboard: path)
        do throws(UnreadableStoryboard) {
            return try XcodeStoryboard(contentsOfFile: path, texts: texts)
        } catch {
            throw UnreadableStoryboard(
                reason: "\(URL(fileURLWithPath: path).lastPathComponent): \(error.reason)",
                isOfOtherPlatform: error.isOfOtherPlatform)
        }
    }

    static func entry(
        of storyboards: [XcodeStoryboard], named name: String?, orElse mains: [String]
    ) throws(UnreadableStoryboard) -> Int {
        if let name {
            guard let index = storyboards.firstIndex(where: { $0.name == name }) else {
                let names = storyboards.map(\.name).joined(separator: ", ")
                throw UnreadableStoryboard(
                    reason: "no storyboard is named \(name); there are: \(names)")
            }
            guard storyboards[index].initialViewController != nil else {
                throw UnreadableStoryboard(
                    reason: "\(name) has no initial view controller; name another storyboard")
            }
            return index
        }
        let started = storyboards.indices.filter {
            storyboards[$0].initialViewController != nil
        }
        let referenced = Set(
            storyboards.flatMap { storyboard in
                storyboard.scenes.compactMap(\.reference?.storyboardName)
                    .filter { $0 != storyboard.name }
            })
        let index =
            mains.lazy.compactMap { main in started.first { storyboards[$0].name == main } }.first
            ?? started.first { storyboards[$0].name == "Main" }
            ?? started.first { !referenced.contains(storyboards[$0].name) } ?? started.first
        guard let index else {
            throw UnreadableStoryboard(
                reason: "no initial view controller; mark one in Xcode (Is Initial View "
                    + "Controller), or import the other storyboards of the app too")
        }
        return index
    }
}
