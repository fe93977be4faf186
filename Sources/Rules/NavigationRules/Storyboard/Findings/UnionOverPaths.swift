/// A directed graph whose nodes have sets of small numbers. `unions` collects the sets along all
/// paths.
struct UnionOverPaths {
    /// A set of numbers, one bit for each.
    typealias Bits = [UInt64]

    /// For each node, the nodes from which an edge leads to it.
    private var sources: [[Int]]
    /// For each number, the nodes whose sets have it.
    private var holders: [[Int]]

    /// - Parameters:
    ///   - count: the number of nodes.
    ///   - numbers: how many numbers a set can have, from 0.
    init(nodes count: Int, numbers: Int) {
        sources = Array(repeating: [], count: count)
        holders = Array(repeating: [], count: numbers)
    }

    mutating func addEdge(from node: Int, to target: Int) { sources[target].append(node) }

    mutating func add(_ number: Int, to node: Int) { holders[number].append(node) }

    /// The union, for each node, of its own set and of the sets of all nodes to which edges lead
    /// from it, directly or indirectly. The time is proportional to the edges times the numbers.
    var unions: [Bits] {
        let none = Bits(repeating: 0, count: (holders.count + 63) / 64)
        var unions = Array(repeating: none, count: sources.count)
        for (number, nodes) in holders.enumerated() {
            var isReached = Array(repeating: false, count: sources.count)
            var waiting = nodes
            while let node = waiting.popLast() {
                guard !isReached[node] else { continue }
                isReached[node] = true
                unions[node][number / 64] |= 1 << UInt64(number % 64)
                waiting += sources[node]
            }
        }
        return unions
    }
}
