/// The patterns of an app's links, in a tree that has one level for each segment. The time to find
/// the pattern of a link depends on the length of the link, and hardly on the number of patterns.
struct LinkIndex: Sendable {
    /// A pattern with its scene.
    struct Entry: Sendable {
        let pattern: PathPattern
        let scene: Scene
        /// Whether the pattern is the first of its scene. The links that the service writes have
        /// this form.
        let isMain: Bool
        /// The parameters of the scene that come from the query, in the order of the scene.
        let query: [String]
        /// The parameters that the query must have, in alphabetic order.
        let requiredQuery: [String]

        init(_ pattern: PathPattern, _ scene: Scene, isMain: Bool) {
            self.pattern = pattern
            self.scene = scene
            self.isMain = isMain
            query = scene.parameters.filter { !pattern.parameters.contains($0) }
            requiredQuery = query.filter(scene.requiredParameters.contains).sorted()
        }

        /// Returns whether links are compared with this pattern before they are compared with
        /// `other`. The order does not depend on the order in the storyboard.
        func precedes(_ other: Entry) -> Bool {
            let order = pattern.compare(other.pattern)
            guard order == 0 else { return order < 0 }
            guard requiredQuery.count == other.requiredQuery.count else {
                return requiredQuery.count > other.requiredQuery.count
            }
            return (requiredQuery + [pattern.description])
                .lexicographicallyPrecedes(other.requiredQuery + [other.pattern.description])
        }

        /// Writes the link that gives these parameters to the scene.
        /// - Returns: nil if no link of this pattern has the values.
        func link(_ parameters: Parameters) -> String? {
            guard var link = pattern.path(parameters) else { return nil }
            if !query.isEmpty {
                guard !query.contains(where: { parameters[$0]?.utf8.contains(0) == true }) else {
                    return nil
                }
                LinkWriting.append(query.lazy.map { ($0, parameters[$0]) }, to: &link)
            }
            return String(decoding: link, as: UTF8.self)
        }

        /// Returns the values that a link gives to the parameters of the scene; nil if the link
        /// does not match.
        func values(of address: LinkAddress) -> [String: String]? {
            guard var values = pattern.match(address.segments) else { return nil }
            for name in query { values[name] = address[query: name] }
            return requiredQuery.allSatisfy { values[$0] != nil } ? values : nil
        }
    }

    private struct Node: Sendable {
        /// The node after a literal segment, by the segment.
        var literals: [String: Int] = [:]
        /// The node after a parameter that takes one segment.
        var one: Int?
        /// The node after a parameter that takes one segment or none.
        var oneOrNone: Int?
        // The entries whose pattern ends here, and those whose last parameter takes the rest.
        var ends: [Int] = []
        var oneOrMore: [Int] = []
        var any: [Int] = []
    }

    /// The entries, in the order in which links are compared with them.
    let entries: [Entry]
    private var nodes = [Node()]
    /// The main pattern of each scene, by the identity of the scene.
    private var main: [ObjectIdentifier: Main] = [:]

    /// The main pattern of a scene. The type is a class, because each response with a session reads
    /// one, and a reference is cheaper to copy.
    final class Main: Sendable {
        let entry: Entry
        /// The link to the scene if it depends on no parameters; nil otherwise.
        let constant: String?
        /// Whether a link in this form always leads to the scene. Otherwise it can match a more
        /// specific pattern, depending on the values of its parameters.
        let isUnambiguous: Bool

        init(entry: Entry, isUnambiguous: Bool) {
            self.entry = entry
            self.isUnambiguous = isUnambiguous
            constant = entry.scene.parameters.isEmpty ? entry.link(.none) : nil
        }
    }

    init(_ scenes: [Scene]) {
        entries = scenes.flatMap { scene in
            scene.paths.enumerated().map { Entry($1, scene, isMain: $0 == 0) }
        }.sorted { $0.precedes($1) }
        for index in entries.indices { insert(index) }
        for (index, entry) in entries.enumerated() where entry.isMain {
            main[ObjectIdentifier(entry.scene)] = Main(
                entry: entry, isUnambiguous: isUnambiguous(index))
        }
    }

    /// Returns the main pattern of a scene; nil if it has no path.
    func main(of scene: Scene) -> Main? { main[ObjectIdentifier(scene)] }

    private mutating func insert(_ index: Int) {
        var node = 0
        for segment in entries[index].pattern.segments {
            switch segment {
            case .literal(let text):
                node = nodes[node].literals[text] ?? add { $0[node].literals[text] = $1 }
            case .parameter(_, .one): node = nodes[node].one ?? add { $0[node].one = $1 }
            case .parameter(_, .oneOrNone):
                node = nodes[node].oneOrNone ?? add { $0[node].oneOrNone = $1 }
            case .parameter(_, .oneOrMore): return nodes[node].oneOrMore.append(index)
            case .parameter(_, .any): return nodes[node].any.append(index)
            }
        }
        nodes[node].ends.append(index)
    }

    /// Adds a node.
    /// - Parameter refer: stores the index of the new node in another node.
    private mutating func add(_ refer: (inout [Node], Int) -> Void) -> Int {
        refer(&nodes, nodes.count)
        nodes.append(Node())
        return nodes.count - 1
    }

    /// Returns the first result that is not nil for the entries that match a path, in the order of
    /// precedence.
    func first<Result>(
        at path: [String], _ result: (Entry) -> Result?
    ) -> Result? {
        first(path[...], from: 0) { result(entries[$0]) }
    }

    private func first<Result>(
        _ path: ArraySlice<String>, from node: Int, _ result: (Int) -> Result?
    ) -> Result? {
        let node = nodes[node]
        guard let segment = path.first else {
            if let found = node.ends.firstResult(result) { return found }
            if let next = node.oneOrNone, let found = first(path, from: next, result) {
                return found
            }
            return node.any.firstResult(result)
        }
        for next in [node.literals[segment], node.one, node.oneOrNone] {
            if let next, let found = first(path.dropFirst(), from: next, result) { return found }
        }
        return node.oneOrMore.firstResult(result) ?? node.any.firstResult(result)
    }

    // MARK: Ambiguity

    /// The maximum number of nodes that the search for ambiguities visits for each pattern, so that
    /// the time for all patterns is proportional to their number.
    private static let searchLimit = 1000

    /// Returns whether each path that the pattern of an entry can write matches no entry before it.
    /// The result can be false without a reason if there are very many patterns.
    private func isUnambiguous(_ index: Int) -> Bool {
        let segments = entries[index].pattern.segments
        let hasOneLength = segments.allSatisfy { $0.rank <= PathPattern.Count.one.rawValue }
        guard hasOneLength else { return false }
        var budget = Self.searchLimit
        return !hasEarlierEntry(than: index, segments[...], from: 0, &budget)
    }

    private func hasEarlierEntry(
        than index: Int, _ segments: ArraySlice<PathPattern.Segment>, from node: Int,
        _ budget: inout Int
    ) -> Bool {
        budget -= 1
        guard budget > 0 else { return true }
        let node = nodes[node]
        var ends = node.any
        var next = [node.one, node.oneOrNone].compactMap(\.self)
        switch segments.first {
        case nil:
            ends += node.ends
            next = [node.oneOrNone].compactMap(\.self)
        case .literal(let text)?:
            ends += node.oneOrMore
            if let literal = node.literals[text] { next.append(literal) }
        case .parameter?:
            ends += node.oneOrMore
            next += node.literals.values
        }
        return ends.contains { $0 < index }
            || next.contains {
                hasEarlierEntry(than: index, segments.dropFirst(), from: $0, &budget)
            }
    }
}

extension [Int] {
    fileprivate func firstResult<Result>(_ result: (Int) -> Result?) -> Result? {
        for element in self {
            if let found = result(element) { return found }
        }
        return nil
    }
}
