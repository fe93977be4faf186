import AppDefinition
import NavigationRules

/// A name in the import options, or in the file with the rows of tables, that nothing in the
/// project has. Such a name is probably misspelt.
struct UnknownName {
    enum File { case options, rows }

    let file: File
    /// The keys that lead to the name. The last one is the name, unless `index` is set.
    let keys: [String]
    /// The index of the name in the array at the key path; nil if the name is a key.
    var index: Int?
    let reason: String

    /// Describes a name that nothing has.
    /// - Parameters:
    ///   - what: what the name should name, such as "scene".
    ///   - known: the names of the project, from which the most similar ones are suggested.
    ///   - mend: what else the owner of the app can do about it.
    init(
        _ name: String, _ what: String, in file: File, at keys: [String], index: Int? = nil,
        among known: [String], mend: String? = nil
    ) {
        self.file = file
        self.keys = keys
        self.index = index
        let all = known.prefix(20).joined(separator: ", ") + (known.count > 20 ? ", …" : "")
        let advice = didYouMean(name, among: known) ?? "it has \(all)"
        reason =
            "no \(what) of the project is \(name)"
            + (known.isEmpty ? ": it has none" : "; \(advice)") + (mend.map { "; \($0)" } ?? "")
    }

    /// Reports the name as a defect at its place.
    /// - Parameter reader: the top level of the file.
    func report(to reader: PropertyListReader) {
        var place: PropertyListReader? = reader
        for key in keys { place = place?.dictionary()?[key] }
        if let index, let elements = place?.array(), index < elements.count {
            place = elements[index]
        }
        place?.reportDefect(reason)
    }
}

extension UnknownName {
    /// Returns the names in the options and in the rows that nothing in the project has.
    /// - Parameters:
    ///   - scenes: the imported scenes.
    ///   - selectors: the actions of the controls without a segue in presented scenes.
    static func all(
        in options: ImportOptions, _ graph: SceneGraph, scenes: [ImportedScene], selectors: [String]
    ) -> [UnknownName] {
        let segues = graph.keys.flatMap { graph.scene($0)?.segues ?? [] }
        let actions = Set(segues.compactMap(\.unwindAction)).sorted()
        let classes = Set(segues.filter { $0.kind == "custom" }.compactMap(\.customClass)).sorted()
        // A container can have no unwind action.
        let owners = Set(
            graph.keys.filter(graph.hasContent)
                .flatMap { [graph.names[$0], graph.scene($0)?.customClass] }.compactMap(\.self)
        ).sorted()
        var unknown: [UnknownName] = []
        func check(
            _ name: String, _ what: String, in file: File = .options, at keys: [String],
            index: Int? = nil, among known: [String], mend: String? = nil
        ) {
            guard !known.contains(name) else { return }
            unknown.append(
                UnknownName(
                    name, what, in: file, at: keys, index: index, among: known, mend: mend))
        }
        for (action, names) in options.unwindActions.sorted(by: { $0.key < $1.key }) {
            let keys = ["unwindActions", action]
            check(action, "action of an unwind segue", at: keys, among: actions + selectors)
            for (index, name) in names.enumerated() {
                check(
                    name, "class or scene besides the containers", at: keys, index: index,
                    among: owners)
            }
        }
        for (index, name) in (options.dismissActions ?? []).enumerated() {
            check(
                name, "action of a control in a presented scene", at: ["dismissActions"],
                index: index, among: selectors)
        }
        for name in options.customSegues.keys.sorted() {
            check(
                name, "class of a custom segue", at: ["customSegues", name], among: classes)
        }
        for name in options.scenes.keys.sorted() {
            check(name, "scene", at: ["scenes", name], among: scenes.map(\.name))
        }
        let tables = scenes.filter(options.isTable).map(\.name)
        for name in options.rows.keys.sorted() {
            let isBlank = scenes.contains { $0.name == name && $0.kind == "blank" }
            check(
                name, "table", in: .rows, at: [name], among: tables,
                mend: isBlank
                    ? "if code makes a table, set scenes.\(name).kind to table in the import options"
                    : nil)
        }
        return unknown
    }
}
