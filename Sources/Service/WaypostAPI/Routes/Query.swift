import HTTPCore

/// The query parameters of a request, by name.
struct Query {
    /// The numbers that a revision can have.
    static let revisions = 1...Int.interoperable.upperBound

    private let items: [RequestTarget.QueryItem]

    init(_ request: Request) { items = request.target.query }

    func text(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// Reads an integer of 0 or more.
    /// - Parameter range: the valid values, within the bounds of `Int.interoperable`.
    /// - Returns: nil if the parameter is absent.
    /// - Throws: `.invalidQuery` if the parameter is not an integer in `range`.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Self.number(text), range.contains(number) else {
            let bounds =
                range.upperBound == Int.interoperable.upperBound
                ? "of \(range.lowerBound) or more"
                : "from \(range.lowerBound) to \(range.upperBound)"
            throw Problem(
                .invalidQuery, "the query parameter \(name) must be an integer \(bounds)")
        }
        return number
    }

    /// Returns the number that digits stand for. A number above the bounds of `Int.interoperable`
    /// counts as their upper bound.
    /// - Returns: nil for a text that is empty or has other characters.
    static func number(_ digits: String) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return (Int(digits) ?? .max).clampedToInteroperable
    }
}
