/// A directed graph whose nodes have sets of small numbers. `unions` collects the sets along all
/// paths.
///
/// The running time is proportional to the number of nodes and edges times the length of a set.
struct UnionOverPaths {
    /// A set of numbers, one bit for each.
    typealias Bits = [UInt64]

    private(set) var targets: [[Int]]
    private var sets: [Bits]
    private let words: Int

    /// - Parameters:
    ///   - count: the number of nodes.
    ///   - numbers: how many numbers a set can have, from 0.
    init(nodes count: Int, numbers: Int) {
        words = (numbers + 63) / 64
        targets = Array(repeating: [], count: count)
        sets = Array(repeating: Array(repeating: 0, count: words), count: count)
    }

    mutating func addEdge(from node: Int, to target: Int) { targets[node].append(target) }

    mutating func add(_ number: Int, to node: Int) {
        sets[node][number / 64] |= 1 << UInt64(number % 64)
    }

    /// The union, for each node, of its own set and of the sets of all nodes to which edges lead
    /// from it, directly or indirectly.
    ///
    /// The nodes of a cycle have the same union. Tarjan's algorithm finds such nodes together, after
    /// all nodes to which they lead. The calls are in an array, because a chain of nodes can be
    /// longer than the stack of a thread.
    var unions: [Bits] {
        var unions = sets
        /// The order in which the search found a node; 0 if it has not.
        var order = Array(repeating: 0, count: targets.count)
        var lowest = order
        var isDone = Array(repeating: false, count: targets.count)
        var open: [Int] = []
        var calls: [(node: Int, next: Int)] = []
        var found = 0
        func enter(_ node: Int) {
            found += 1
            order[node] = found
            lowest[node] = found
            open.append(node)
            calls.append((node, 0))
        }
        for start in targets.indices where order[start] == 0 {
            enter(start)
            while let (node, next) = calls.last {
                if next < targets[node].count {
                    calls[calls.count - 1].next += 1
                    let target = targets[node][next]
                    if order[target] == 0 {
                        enter(target)
                    } else if !isDone[target] {
                        lowest[node] = min(lowest[node], order[target])
                    }
                    continue
                }
                calls.removeLast()
                if let caller = calls.last?.node {
                    lowest[caller] = min(lowest[caller], lowest[node])
                }
                guard lowest[node] == order[node], let first = open.lastIndex(of: node) else {
                    continue
                }
                let cycle = Array(open[first...])
                open.removeSubrange(first...)
                var union = Bits(repeating: 0, count: words)
                for member in cycle {
                    merge(unions[member], into: &union)
                    for target in targets[member] { merge(unions[target], into: &union) }
                }
                for member in cycle {
                    unions[member] = union
                    isDone[member] = true
                }
            }
        }
        return unions
    }

    private func merge(_ bits: Bits, into union: inout Bits) {
        for word in 0..<words { union[word] |= bits[word] }
    }
}
