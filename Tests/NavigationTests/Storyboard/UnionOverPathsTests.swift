import TestSupport
import Testing

@testable import NavigationRules

@Suite struct UnionOverPathsTests {
    @Test("The union of a node has the sets of all nodes that a walk from the node reaches")
    func walks() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...12, using: &generator)
            var graph = UnionOverPaths(nodes: count, numbers: count + 64)
            var targets = Array(repeating: [Int](), count: count)
            for node in 0..<count { graph.add(node + 64, to: node) }
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let node = Int.random(in: 0..<count, using: &generator)
                let target = Int.random(in: 0..<count, using: &generator)
                targets[node].append(target)
                graph.addEdge(from: node, to: target)
            }
            let unions = graph.unions
            for node in 0..<count {
                var reached: Set<Int> = [node]
                var waiting = [node]
                while let next = waiting.popLast() {
                    for target in targets[next] where reached.insert(target).inserted {
                        waiting.append(target)
                    }
                }
                let expected = reached.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
                #expect(unions[node] == [0, expected])
            }
        }
    }

    @Test(
        "A chain of 20,000 presented layers that unwind is analysed", .timeLimit(.minutes(1)))
    func longChain() throws {
        let scenes = (0..<20_000).map { index in
            let next = Segue(
                identifier: "next", action: .present("s\((index + 1) % 20_000)", .fullScreen))
            let back = Segue(identifier: "back", action: .unwind("a\(index % 100)"))
            return Scene(
                name: "s\(index)", kind: .blank, segues: [next, back],
                unwindActions: ["a\(index % 100)"])
        }
        let draft = StoryboardDraft(name: "Chain", initialScene: "s0", scenes: scenes)
        let warnings = try Storyboard(draft, dataSource: Numbers()).warnings
        #expect(warnings == [])
    }
}
