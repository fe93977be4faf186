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
}
