import Glibc

/// Finds the route of a request in a tree of path segments. A literal segment takes precedence over
/// a parameter, without backtracking: `/authors/{author}/books` does not match `/authors/new/books`
/// if a route `/authors/new` exists.
public struct Router: Sendable {
    /// A node of the tree. Its parts are indices, so that a search retains no object: all worker
    /// threads use the same nodes, and would wait for each other's reference counts.
    private struct Node {
        /// The literal segments that can follow, as indices of `edges`.
        var literals = 0..<0
        /// The node that any other segment leads to; nil if none does.
        var parameter: Int?
        /// The index of the node's path in `ends`; nil if no route ends at this node.
        var path: Int?
    }

    /// A literal segment between two nodes.
    private struct Edge {
        /// The bytes of the segment, as indices of `text`.
        let text: Range<Int>
        let node: Int
    }

    /// The routes of one path.
    private final class End: Sendable {
        /// A path has few routes, so a linear search is faster than a dictionary.
        let routes: [Route]
        /// The value of the `Allow` field in responses for this path.
        let allow: String

        init(_ routes: [Route]) {
            self.routes = routes
            allow = Router.allow(routes)
        }
    }

    public let routes: [Route]
    private var nodes: [Node] = []
    private var edges: [Edge] = []
    private var text: [UInt8] = []
    private let ends: [End]
    /// The value of `Allow` for `OPTIONS *`: the methods of all routes.
    private let allow: String

    /// - Precondition: no two routes have the same method and the same path, no two paths differ only
    ///   in the names of their parameters, and no path has more than `PathParameters.limit` parameters.
    public init(_ routes: [Route]) {
        self.routes = routes
        let paths = Self.paths(of: routes)
        allow = Self.allow(routes)
        let names = routes.map { "\($0.method.name) \($0.path)" }
        precondition(Set(names).count == names.count, "two routes for the same method and path")
        precondition(
            paths.allSatisfy { $0.count { $0 == "{" } <= PathParameters.limit },
            "a path with too many parameters")
        ends = paths.map { path in End(routes.filter { $0.path == path }) }
        _ = addNode(paths.enumerated().map { ($0, Self.segments(of: $1)[...]) })
    }

    /// Adds a node and all nodes below it.
    /// - Parameter paths: the paths that end at the node or below it: their indices, and their
    ///   segments after the node.
    /// - Returns: the index of the node.
    private mutating func addNode(_ paths: [(index: Int, rest: ArraySlice<Substring>)]) -> Int {
        let number = nodes.count
        let ending = paths.filter(\.rest.isEmpty)
        precondition(ending.count <= 1, "two paths with other names for the same parameters")
        nodes.append(Node(path: ending.first?.index))
        var literals: [(segment: Substring, node: Int)] = []
        let next = Dictionary(grouping: paths.filter { !$0.rest.isEmpty }) { _, rest in
            rest.first.flatMap { $0.hasPrefix("{") ? nil : $0 }
        }
        for (segment, paths) in next {
            let node = addNode(paths.map { ($0.index, $0.rest.dropFirst()) })
            if let segment {
                literals.append((segment, node))
            } else {
                nodes[number].parameter = node
            }
        }
        nodes[number].literals = edges.count..<edges.count + literals.count
        for (segment, node) in literals {
            edges.append(Edge(text: text.count..<text.count + segment.utf8.count, node: node))
            text += segment.utf8
        }
        return number
    }

    /// Returns the paths of the routes, in the order of the routes. A path of several routes occurs
    /// once.
    public static func paths(of routes: [Route]) -> [String] {
        routes.reduce(into: []) { paths, route in
            if !paths.contains(route.path) { paths.append(route.path) }
        }
    }

    /// Carries out a request with the route of its match, or responds to `OPTIONS` with status 204
    /// and the allowed methods.
    /// - Throws: the problem with which the match or the route refuses the request.
    func answer(_ context: Context) throws(Problem) -> Answer {
        if let refusal = context.refusal { throw refusal }
        guard let route = context.route else {
            return .ready(Response(.noContent, headers: ["Allow": context.allow]))
        }
        return try route.handler(context)
    }

    public func match(_ request: Request) -> Context {
        var parameters = PathParameters()
        let path = path(of: request.target, &parameters)
        let end = path.map { ends[$0] }
        var (route, refusal): (Route?, Problem?)
        do throws(Problem) { route = try self.route(of: request, end) } catch { refusal = error }
        return Context(
            request, path: path, parameters, route, refusal, allow: end?.allow ?? allow)
    }

    /// Returns the route of a request; nil if the router itself responds, to `OPTIONS`.
    private func route(of request: Request, _ end: End?) throws(Problem) -> Route? {
        if request.target.path == "*", request.method == .options { return nil }
        guard let end else { throw Problem(.notFound, "nothing is at \(request.target.path)") }
        let method = request.method == .head ? .get : request.method
        if let route = end.routes.first(where: { $0.method == method }) {
            try request.checkAcceptance(of: route.produces)
            return route
        }
        if request.method == .options { return nil }
        throw Problem(
            .methodNotAllowed,
            "\(request.target.path) does not accept \(request.method.name); use \(end.allow)",
            headers: ["Allow": end.allow])
    }

    /// Returns the index of the path that a request target matches; nil if there is none. Appends the
    /// values of the path's parameters to `parameters`.
    private func path(of target: RequestTarget, _ parameters: inout PathParameters) -> Int? {
        var node = 0
        if let segments = target.decodedSegments {
            for var segment in segments {
                let text = segment[...]
                guard let step = segment.withUTF8({ step(from: node, $0) }) else { return nil }
                node = step.node
                if step.isParameter { parameters.append(text) }
            }
            return nodes[node].path
        }
        var path = target.path
        let text = path
        return path.withUTF8 { path in
            var start = 1
            while start <= path.count {
                let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
                let segment = UnsafeBufferPointer(rebasing: path[start..<end])
                guard let step = step(from: node, segment) else { return nil }
                node = step.node
                if step.isParameter {
                    let first = text.utf8.index(text.startIndex, offsetBy: start)
                    let last = text.utf8.index(first, offsetBy: end - start)
                    parameters.append(text[first..<last])
                }
                start = end + 1
            }
            return nodes[node].path
        }
    }

    /// Returns the node to which a segment leads; nil if there is none.
    private func step(
        from number: Int, _ segment: UnsafeBufferPointer<UInt8>
    ) -> (node: Int, isParameter: Bool)? {
        let node = nodes[number]
        for index in node.literals where matches(segment, edges[index].text) {
            return (edges[index].node, false)
        }
        // A parameter is never empty.
        return segment.isEmpty ? nil : node.parameter.map { ($0, true) }
    }

    private func matches(_ segment: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        guard segment.count == range.count else { return false }
        return text.withUnsafeBytes { text in
            guard let literal = text.baseAddress, let start = segment.baseAddress else {
                return range.isEmpty
            }
            // Swift's comparison of sequences takes some 500 instructions more for each request.
            return memcmp(literal + range.lowerBound, start, range.count) == 0
        }
    }

    private static func segments(of path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Returns the value of `Allow` for routes of one path. The methods have a fixed order, so that
    /// the value does not depend on the order of the routes.
    private static func allow(_ routes: [Route]) -> String {
        guard !routes.isEmpty else { return "" }
        let order: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter { method in
            method == .options
                || routes.contains { $0.method == (method == .head ? .get : method) }
        }.map(\.name).joined(separator: ", ")
    }
}
