import Yams

extension Node {
    private static let width = 100

    /// Returns the node as a YAML document. What fits in a line is written in one.
    func document() throws -> String {
        try Yams.serialize(node: laidOut(at: 0), width: Self.width, allowUnicode: true)
    }

    /// Returns the node with the style of each mapping, sequence and text.
    /// - Parameter depth: the number of mappings and sequences around the node.
    private func laidOut(at depth: Int) -> Node {
        switch self {
        case .scalar(var scalar):
            if scalar.string.contains("\n") {
                scalar.style = .literal
            } else if scalar.string.count + 2 * depth > Self.width - 20, scalar.string.contains(" ")
            {
                scalar.style = .folded
            } else if scalar.style == .folded || scalar.style == .literal {
                scalar.style = .any
            }
            return .scalar(scalar)
        case .mapping(let mapping):
            let fits = depth > 3 && lineWidth.map { $0 + 2 * depth < Self.width - 20 } ?? false
            return .mapping(
                Node.Mapping(
                    mapping.map { ($0.key, $0.value.laidOut(at: depth + 1)) }, .implicit,
                    fits || mapping.isEmpty ? .flow : .block))
        case .sequence(let sequence):
            let isFlat = sequence.allSatisfy { $0.scalar != nil && $0.lineWidth != nil }
            let fits = lineWidth.map { $0 + 2 * depth < Self.width - 20 } ?? false
            return .sequence(
                Node.Sequence(
                    sequence.map { $0.laidOut(at: depth + 1) }, .implicit,
                    isFlat || fits ? .flow : .block))
        case .alias:
            return self
        }
    }

    /// The number of characters that the node takes in one line; nil if it needs several.
    private var lineWidth: Int? {
        switch self {
        case .scalar(let scalar):
            return scalar.string.contains("\n") ? nil : scalar.string.count + 2
        case .mapping(let mapping):
            return mapping.reduce(2) { sum, pair in
                guard let sum, let key = pair.key.lineWidth, let value = pair.value.lineWidth else {
                    return nil
                }
                return sum + key + value + 2
            }
        case .sequence(let sequence):
            return sequence.reduce(2) { sum, node in
                guard let sum, let width = node.lineWidth else { return nil }
                return sum + width + 2
            }
        case .alias:
            return nil
        }
    }
}
