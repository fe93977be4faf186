import AppDefinition
import Foundation
import NavigationRules
import Sessions
import Yams

/// Reads files of flows, which are scripted tests in YAML or JSON. Also reads the files whose steps
/// a flow includes with `use`.
package struct FlowReader {
    /// The mistakes that have been found so far, in the order in which the files were read.
    package private(set) var defects: [FileDefect] = []
    /// The paths that flows give as their storyboard or in a `use` step, whether or not the files
    /// exist.
    package private(set) var namedFiles: Set<String> = []
    /// The file that is being read.
    private(set) var file: String
    /// The flows that are being read. Each flow includes the next one with a `use` step. The reader
    /// finds flows that include themselves with this list.
    private var open: [OpenFlow] = []
    /// The accounts of the flows whose steps the present flow includes.
    private var usedAccounts: [String] = []
    /// The documents of the files that were read, by their paths.
    private var parsed: [String: [Node]] = [:]
    /// The flows that were used, by their places; nil for a flow with mistakes. Flows that use each
    /// other twice would otherwise be read again and again.
    private var used: [Place: Flow?] = [:]
    /// The maximum number of steps of a flow, with those of the flows that it uses.
    static let maximumSteps = 100_000

    package init() { self.init(file: "") }

    init(file: String) { self.file = file }

    /// Reads all flows of a file. Adds each mistake to `defects`, and leaves out the flows that
    /// have mistakes.
    package mutating func flows(in file: String) -> [Flow] {
        reading(file) { reader in reader.documents().compactMap { reader.flow(from: $0) } }
    }

    private mutating func reading<Value>(
        _ file: String, _ read: (inout FlowReader) -> Value
    ) -> Value {
        let other = self.file
        self.file = file
        defer { self.file = other }
        return read(&self)
    }

    /// Reads all flows of several files.
    /// - Throws: `FlowDefects` with the mistakes of all files, if there are any.
    package static func read(_ files: [String]) throws(FlowDefects) -> [Flow] {
        var reader = FlowReader()
        let flows = files.flatMap { reader.flows(in: $0) }
        guard reader.defects.isEmpty else { throw FlowDefects(defects: reader.defects) }
        return flows
    }

    // MARK: Files

    static func normalized(_ file: String) -> String {
        URL(fileURLWithPath: file).standardizedFileURL.path
    }

    private mutating func documents() -> [Node] {
        if let documents = parsed[file] { return documents }
        var documents: [Node] = []
        do throws(FileDefect) {
            documents = try YAMLFile.documents(of: YAMLFile.text(file), path: file)
            if documents.isEmpty { note("has no flow: write `name` and `steps`") }
        } catch {
            defects.append(error)
        }
        parsed[file] = documents
        return documents
    }

    private mutating func note(_ place: Place, _ reason: String) {
        defects.append(FileDefect(place, reason))
    }

    /// Adds a mistake that concerns the whole file.
    private mutating func note(_ reason: String) {
        note(Place(file: file, line: 1, column: 1), reason)
    }

    mutating func note(_ node: Node, _ reason: String) { note(place(of: node), reason) }

    func place(of node: Node) -> Place { node.place(in: file) }

    // MARK: A flow

    private static let keys = [
        "name", "app", "lifecycle", "strict", "flags", "accounts", "tags", "steps",
    ]

    private mutating func flow(from node: Node) -> Flow? {
        guard case .mapping(let mapping) = node else {
            note(node, "expected a flow with `name` and `steps`, found \(node.kind)")
            return nil
        }
        open.append(OpenFlow(mapping, file))
        defer { open.removeLast() }
        let count = defects.count
        for (key, _) in mapping { checkKey(key, among: Self.keys, "of a flow") }
        var app: String?
        if let node = mapping["app"] {
            app = string(node, "the path of a storyboard").map {
                $0.inFolder(of: file)
            }
            if let app { namedFiles.insert(app) }
            if let app, !FileManager.default.fileExists(atPath: app) {
                note(node, "no storyboard is at \(app): the path is relative to the flow file")
            }
        }
        let name = mapping["name"].flatMap { string($0, "the name of the flow") }
        if mapping["name"] == nil { note(node, "missing: add `name`") }
        let lifecycle = lifecycle(mapping["lifecycle"])
        let isStrict = mapping["strict"].map { flag($0) }
        let flags = mapping["flags"].map { self.flags($0) } ?? [:]
        var accounts = mapping["accounts"].map { self.accounts($0) } ?? []
        let tags = mapping["tags"].map { strings($0, "a list of tags") } ?? []
        var steps: [Step] = []
        let othersUsed = usedAccounts
        usedAccounts = []
        if let node = mapping["steps"] {
            steps = self.steps(in: node)
            checkCanFail(steps, at: node, since: count)
        } else {
            note(node, "missing: add `steps`, a list")
        }
        var taken = Set(accounts.map { try? Username($0) })
        accounts += usedAccounts.filter { taken.insert(try? Username($0)).inserted }
        usedAccounts = othersUsed
        guard defects.count == count, let name else { return nil }
        return Flow(
            name: name, app: app, lifecycle: lifecycle, isStrict: isStrict, flags: flags,
            accounts: accounts, tags: tags, steps: steps, place: place(of: node))
    }

    /// Reports a defect at `node` if no step of a flow can fail, because such a flow tests nothing.
    /// The steps that other flows use may be of any kind.
    /// - Parameter count: the number of defects before those of this flow. A flow with other defects
    ///   may have steps that are left out.
    private mutating func checkCanFail(
        _ steps: [Step], at node: Node, since count: Int
    ) {
        // A flow that uses one with mistakes may have no steps of that one.
        guard open.count == 1, defects.count == count, !used.values.contains(where: { $0 == nil }),
            !parsed.values.contains(where: \.isEmpty), !steps.contains(where: \.canFail)
        else { return }
        note(
            node, "this flow can never fail: add a step with an action of the user or with `expect`"
        )
    }

    private mutating func lifecycle(_ node: Node?) -> LifecycleOrder? {
        guard let node else { return nil }
        if let order = node.text.flatMap(LifecycleOrder.init) { return order }
        note(node, "expected forwarded or native, found \(node.line)")
        return nil
    }

    // MARK: Steps

    mutating func steps(in node: Node) -> [Step] {
        guard case .sequence(let sequence) = node else {
            note(node, "expected a list of steps, found \(node.kind)")
            return []
        }
        var steps: [Step] = []
        for node in sequence {
            steps += self.steps(from: node)
            guard steps.count > Self.maximumSteps else { continue }
            note(node, "the flow has more than \(Self.maximumSteps) steps here: use fewer flows")
            return []
        }
        return steps
    }

    /// Returns the step that a YAML node describes. For a `use` step, returns all steps of the file
    /// that the step names. Returns an empty array if the node has a mistake.
    private mutating func steps(from node: Node) -> [Step] {
        if case .mapping(let mapping) = node, let used = mapping["use"] {
            guard mapping.count == 1 else {
                note(node, "a step with `use` has no other keys: write them as another step")
                return []
            }
            return usedSteps(used)
        }
        return step(from: node).map { [$0] } ?? []
    }

    private mutating func usedSteps(_ node: Node) -> [Step] {
        guard let text = string(node, "the path of a flow file") else { return [] }
        let (path, name) = Self.reference(text.inFolder(of: file))
        namedFiles.insert(path)
        guard FileManager.default.fileExists(atPath: path) else {
            note(node, "no flow file is at \(path): the path is relative to this file")
            return []
        }
        let documents = reading(path) { $0.documents() }
        guard !documents.isEmpty else { return [] }
        let named = name.map { name in
            documents.filter { $0.mapping?["name"]?.text == name }
        }
        guard let document = (named ?? documents).first, (named ?? documents).count == 1 else {
            let count = named?.count == 0 ? "no flow" : "several flows"
            note(
                node,
                "\(path) has \(count)\(name.map { " named \($0)" } ?? ""): name one flow, as in "
                    + "`use: \((path as NSString).lastPathComponent)#NAME`")
            return []
        }
        if let mapping = document.mapping, let start = open.firstIndex(of: OpenFlow(mapping, path))
        {
            let files = open[start...].map(\.file) + [path]
            let names = files.map { ($0 as NSString).lastPathComponent }
            note(node, "a cycle of `use`: \(names.joined(separator: " → ")); remove one of them")
            return []
        }
        let place = document.place(in: path)
        let flow = used[place] ?? reading(path) { $0.flow(from: document) }
        used[place] = .some(flow)
        usedAccounts += flow?.accounts ?? []
        return flow?.steps ?? []
    }

    /// Splits the reference to a flow: `FILE`, or `FILE#NAME` for one of several flows in a file. The
    /// name is nil if there is none. The file and the name can contain further marks.
    package static func reference(_ text: String) -> (file: String, name: String?) {
        let exists = FileManager.default.fileExists(atPath:)
        let marks = text.indices.filter { text[$0] == "#" }
        guard !exists(text),
            let mark = marks.first(where: { exists(String(text[..<$0])) }) ?? marks.last
        else { return (text, nil) }
        return (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }

    // MARK: Values

    mutating func checkKey(_ key: Node, among keys: [String], _ what: String) {
        let name = key.text ?? ""
        guard !keys.contains(name) else { return }
        note(key, "unknown key \(name) \(what)" + Self.suggestion(for: name, among: keys))
    }

    /// Returns the end of an error message about an unknown name. The text suggests the most
    /// similar known names, or lists all known names if none is similar.
    static func suggestion(for name: String, among names: [String]) -> String {
        "; "
            + (didYouMean(name, among: names) ?? "expected one of \(names.joined(separator: ", "))")
    }

    mutating func string(_ node: Node, _ what: String) -> String? {
        if !node.isNull, let text = node.text { return text }
        note(node, "expected \(what), found \(node.kind)")
        return nil
    }

    private mutating func strings(_ node: Node, _ what: String) -> [String] {
        guard case .sequence(let sequence) = node else {
            note(node, "expected \(what), found \(node.kind)")
            return []
        }
        return sequence.compactMap { string($0, "a text") }
    }

    /// Reads the user names of the accounts that exist before the first step.
    private mutating func accounts(_ node: Node) -> [String] {
        let names = strings(node, "a list of user names, as in `[ada]`")
        var taken: Set<Username> = []
        for name in names {
            do throws(SessionError) {
                let username = try Username(name)
                guard !taken.insert(username).inserted else { continue }
                note(node, "the account \(name) comes twice: remove one of them")
            } catch {
                guard case .invalidUsername(let reason) = error else { continue }
                note(node, "the account \"\(name)\": \(reason)")
            }
        }
        return names
    }

    /// Reads the values of flags from a mapping.
    private mutating func flags(_ node: Node) -> [String: Bool] {
        guard let flags = node.json.flags else {
            note(node, "expected flags, as in `{ subscribed: true }`, found \(node.line)")
            return [:]
        }
        return flags
    }

    private mutating func flag(_ node: Node) -> Bool {
        if case .boolean(let flag) = node.json { return flag }
        note(node, "expected true or false, found \(node.line)")
        return false
    }
}

/// A flow of a file, while its steps are read.
private struct OpenFlow: Equatable {
    let file: String
    let name: String?

    init(_ mapping: Node.Mapping, _ file: String) {
        self.file = FlowReader.normalized(file)
        name = mapping["name"]?.text
    }
}
