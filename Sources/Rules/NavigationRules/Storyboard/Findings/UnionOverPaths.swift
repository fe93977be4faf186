/// A directed graph whose nodes have sets of small numbers. `unions` collects the sets along all
/// paths.
struct UnionOverPaths {
    /// A set of numbers, one bit for each.
    typealias Bits = [UInt64]

    /// For each node, the nodes from which an edge leads to it.
    private var sources: [[Int]]
    private var sets: [Bits]

    /// - Parameters:
    ///   - count: the number of nodes.
    ///   - numbers: how many numbers a set can have, from 0.
    init(nodes count: Int, numbers: Int) {
        sources = Array(repeating: [], count: count)
        sets = Array(repeating: Array(repeating: 0, count: (numbers + 63) / 64), count: count)
    }

    mutating func addEdge(from node: Int, to target: Int) { sources[target].append(node) }

    mutating func add(_ number: Int, to node: Int) {
        sets[node][number / 64] |= 1 << UInt64(number % 64)
    }

    /// The union, for each node, of its own set and of the sets of all nodes to which edges lead
    /// from it, directly or indirectly.
    ///
    /// A node whose set has grown waits until its sources have got the new numbers too. A node thus
    /// waits at most once for each number. Along a chain or a cycle, nearly all waits change nothing.
    var unions: [Bits] {
        var unions = sets
        var waiting = Array(sets.indices)
        while let node = waiting.popLast() {
            let bits = unions[node]
            for source in sources[node] {
                var hasGrown = false
                for word in bits.indices where bits[word] & ~unions[source][word] != 0 {
                    unions[source][word] |= bits[word]
                    hasGrown = true
                }
                if hasGrown { waiting.append(source) }
            }
        }
        return unions
    }
}
