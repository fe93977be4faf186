/// What stands in a request's path where the route has `{…}`, decoded, in order.
public struct PathParameters: Sendable {
    /// No route has more: the router sees to it. Two fields, and not an array, need no memory.
    static let limit = 2

    private var first: Substring = ""
    private var second: Substring = ""
    private var count = 0

    public init() {}

    mutating func append(_ value: Substring) {
        if count == 0 { first = value } else { second = value }
        count += 1
    }

    /// - Precondition: the route's path has that many parameters.
    public subscript(index: Int) -> Substring {
        precondition(index < count)
        return index == 0 ? first : second
    }
}
