import HTTPCore

/// The query parameters of a request, by name.
struct Query {
    private let items: [RequestTarget.QueryItem]

    /// Reads the query of a request, and checks the names of its parameters.
    /// - Parameter names: the allowed names.
    /// - Throws: `.invalidQuery` for a parameter that is not in `names` or occurs twice.
    init(_ request: Request, _ names: String...) throws(Problem) {
        try self.init(request, names)
    }

    init(_ request: Request, _ names: [String]) throws(Problem) {
        items = request.target.query
        for (index, item) in items.enumerated() {
            guard names.contains(item.name) else {
                let known = names.isEmpty ? "none" : names.joined(separator: ", ")
                throw Problem(
                    .invalidQuery, "unknown query parameter \(item.name); expected: \(known)")
            }
            guard !items[..<index].contains(where: { $0.name == item.name }) else {
                throw Problem(
                    .invalidQuery, "the query parameter \(item.name) occurs twice: send it once")
            }
        }
    }

    func text(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// Reads an integer of 0 or more.
    /// - Parameters:
    ///   - range: the valid values, within the bounds of `Int.interoperable`. A number above these
    ///     bounds counts as their upper bound.
    ///   - value: the result if the parameter is absent.
    /// - Throws: `.invalidQuery` if the parameter is not an integer in `range`.
    func integer(
        _ name: String, in range: ClosedRange<Int>, default value: Int
    ) throws(Problem) -> Int {
        guard let text = text(name) else { return value }
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let number = (Int(text) ?? .max).clampedToInteroperable
        guard isNumber, range.contains(number) else {
            let bounds =
                range.upperBound == Int.interoperable.upperBound
                ? "of \(range.lowerBound) or more"
                : "from \(range.lowerBound) to \(range.upperBound)"
            throw Problem(
                .invalidQuery, "the query parameter \(name) must be an integer \(bounds)")
        }
        return number
    }

    /// The problem for a malformed cursor, that is, one that no response has returned as `next`.
    static let invalidCursor = Problem(
        .invalidQuery, "invalid cursor; use `next` of the previous page")

    /// Reads a position in a list, an integer of 0 or more; returns 0 if the parameter is absent.
    /// - Throws: `.invalidQuery` for any other value.
    func position(_ name: String) throws(Problem) -> Int {
        try integer(name, in: 0...Int.interoperable.upperBound, default: 0)
    }

    /// Reads the query parameter `limit`, the maximum number of entries in a page, from 1 to 1000;
    /// returns 100 if the parameter is absent.
    /// - Throws: `.invalidQuery` for any other value.
    func limit() throws(Problem) -> Int {
        try integer("limit", in: 1...1000, default: 100)
    }
}
