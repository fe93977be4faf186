import Glibc

/// Finds the route of a request in a tree of path segments. A literal segment takes precedence over
/// a parameter, without backtracking: `/authors/{author}/books` does not match `/authors/new/books`
/// if a route `/authors/new` exists.
public struct Router: Sendable {
    /// An immutable node of the tree.
    private final class Node: Sendable {
        private let literals: [(text: [UInt8], node: Node)]
        let parameter: Node?
        /// The routes that end at this node. A node has few routes, so a linear search is faster
        /// than a dictionary with methods as keys.
        let routes: [Route]
        /// The value of the `Allow` field in responses for this path; empty if no route ends at
        /// this node.
        let allow: String
        /// The index of the node's path in `Router.paths`; nil if no route ends at this node.
        let path: Int?

        /// Creates a node and all nodes below it.
        /// - Parameters:
        ///   - routes: the routes that end at this node or below it. `rest` has the segments of the
        ///     route's path that come after this node.
        ///   - paths: the paths of all routes of the router.
        init(_ routes: [(route: Route, rest: ArraySlice<Substring>)], _ paths: [String]) {
            self.routes = routes.filter(\.rest.isEmpty).map(\.route)
            allow = Router.allow(self.routes)
            path = self.routes.first.flatMap { paths.firstIndex(of: $0.path) }
            let next = Dictionary(grouping: routes.filter { !$0.rest.isEmpty }) { _, rest in
                rest.first.flatMap { $0.hasPrefix("{") ? nil : String($0) }
            }.mapValues { routes in
                Node(routes.map { ($0.route, $0.rest.dropFirst()) }, paths)
            }
            parameter = next[nil]
            literals = next.compactMap { name, node in name.map { (Array($0.utf8), node) } }
        }

        func literal(_ segment: UnsafeBufferPointer<UInt8>) -> Node? {
            literals.first { literal in
                // Swift's comparison of sequences takes some 500 instructions more for each
                // request.
                literal.text.count == segment.count
                    && segment.baseAddress.map { memcmp(literal.text, $0, segment.count) == 0 }
                        ?? literal.text.isEmpty
            }?.node
        }
    }

    public let routes: [Route]
    /// The paths of the routes, in the order of the routes. A path of several routes occurs once.
    public let paths: [String]
    private let root: Node
    /// The value of `Allow` for `OPTIONS *`: the methods of all routes.
    private let allow: String

    /// Creates a router.
    /// - Precondition: no two routes have the same method and the same path, and no path has more
    ///   than `PathParameters.limit` parameters.
    public init(_ routes: [Route]) {
        self.routes = routes
        paths = Self.paths(of: routes)
        allow = Self.allow(routes)
        let names = routes.map { "\($0.method.name) \($0.path)" }
        precondition(Set(names).count == names.count, "two routes for the same method and path")
        precondition(
            paths.allSatisfy { $0.count { $0 == "{" } <= PathParameters.limit },
            "a path with too many parameters")
        root = Node(routes.map { ($0, Self.segments(of: $0.path)[...]) }, paths)
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
        return try route.handler(context.request, context)
    }

    public func match(_ request: Request) -> Context {
        var parameters = PathParameters()
        let node = node(of: request.target, &parameters)
        return Context(
            request, path: node?.path, parameters, route(of: request, node),
            allow: node?.allow ?? allow)
    }

    private func route(of request: Request, _ node: Node?) -> Result<Route?, Problem> {
        if request.target.path == "*", request.method == .options { return .success(nil) }
        guard let node else {
            return .failure(Problem(.notFound, "nothing is at \(request.target.path)"))
        }
        let method = request.method == .head ? .get : request.method
        if let route = node.routes.first(where: { $0.method == method }) {
            do throws(Problem) {
                try request.checkAcceptance(of: route.produces)
                return .success(route)
            } catch {
                return .failure(error)
            }
        }
        if request.method == .options { return .success(nil) }
        return .failure(
            Problem(
                .methodNotAllowed,
                "\(request.target.path) does not accept \(request.method.name); use \(node.allow)",
                headers: ["Allow": node.allow]))
    }

    /// Returns the node for a request target; nil if no route has this path. Appends the values of
    /// the path's parameters to `parameters`.
    private func node(of target: RequestTarget, _ parameters: inout PathParameters) -> Node? {
        var node: Node? = root
        func step(_ segment: UnsafeBufferPointer<UInt8>, _ text: () -> Substring) {
            if let literal = node?.literal(segment) {
                node = literal
            } else {
                node = segment.isEmpty ? nil : node?.parameter
                if node != nil { parameters.append(text()) }
            }
        }
        if let segments = target.decodedSegments {
            for var segment in segments {
                let text = segment[...]
                segment.withUTF8 { step($0) { text } }
            }
        } else {
            var path = target.path
            let text = path
            path.withUTF8 { path in
                var start = 1
                while start <= path.count, node != nil {
                    let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
                    let (first, last) = (start, end)
                    step(UnsafeBufferPointer(rebasing: path[start..<end])) {
                        let index = text.utf8.index(text.startIndex, offsetBy: first)
                        return text[index..<text.utf8.index(index, offsetBy: last - first)]
                    }
                    start = end + 1
                }
            }
        }
        return node?.path == nil ? nil : node
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
