import TestSupport

@testable import JSON

extension JSONValue {
    /// - Parameter depth: of nesting, at most.
    static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .boolean(Bool.random(using: &generator))
        case 2: return .integer(Int.random(in: .min ... .max, using: &generator))
        case 3: return .integer(Int.random(in: -1000...1000, using: &generator))
        case 4: return .real(Double(bitPattern: .random(in: 1...0x7FEF << 48, using: &generator)))
        case 5: return .string(randomText(using: &generator))
        case 6:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    random(depth: depth - 1, using: &generator)
                })
        default:
            // The number makes each name the only one of its kind.
            return .object(
                JSONObject(
                    members: (0..<Int.random(in: 0...4, using: &generator)).map { number in
                        JSONObject.Member(
                            name: "\(number)" + randomText(using: &generator, from: 1),
                            value: random(depth: depth - 1, using: &generator))
                    }))
        }
    }

    private static func randomText(
        using generator: inout SeededGenerator, from first: UInt32 = 0
    ) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let bounds: [UInt32] = [0x2F, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF]
            let bound = bounds.randomElement(using: &generator)
            let value = UInt32.random(in: first...(bound ?? 0x7F), using: &generator)
            // The surrogates are no scalars.
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
