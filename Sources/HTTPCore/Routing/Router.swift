import Glibc

/// Finds the route of a request in a tree of path segments. A literal segment takes precedence over
/// a parameter, without backtracking: `/authors/{author}/books` does not match `/authors/new/books`
/// if a route `/authors/new` exists.
public struct Router: Sendable {
    private final class TreeNode {
        var literals: [String: TreeNode] = [:]
        var parameter: TreeNode?
        var routes: [Method: Route] = [:]
    }

    /// A node of the finished tree. The tree is an array of nodes that never changes, so that
    /// threads share it.
    private struct Node: Sendable {
        var literals: [Literal] = []
        var parameter: Int?
        /// The routes that end at this node. A linear search is faster than hashing a method,
        /// because a node has few routes.
        var routes: [Route] = []
        /// The value of the `Allow` field; empty if no route ends at this node.
        var allow = ""
        /// The index of the node's path in `paths`; nil if no route ends at this node.
        var path: Int?
    }

    private struct Literal: Sendable {
        let hash: UInt64
        let text: [UInt8]
        let node: Int
    }

    /// The result of matching a request. The type is a class because several closures refer to one
    /// match.
    public final class Match: Sendable {
        /// The index in `paths` of the path that matches; nil if no path matches.
        public let path: Int?
        public let parameters: PathParameters
        /// The route; nil for `OPTIONS`, which the router handles itself. The problem is
        /// `.notFound` or `.methodNotAllowed` if no route matches, or `.notAcceptable` if the
        /// client does not accept the route's media types.
        public let route: Result<Route?, Problem>
        fileprivate let node: Int?

        fileprivate init(
            path: Int?, _ parameters: PathParameters, _ route: Result<Route?, Problem>, node: Int?
        ) {
            self.path = path
            self.parameters = parameters
            self.route = route
            self.node = node
        }

        /// Returns a match of the same path that responds with a problem.
        public func refusing(_ problem: Problem) -> Match {
            Match(path: path, parameters, .failure(problem), node: node)
        }
    }

    public let routes: [Route]
    /// The distinct paths of the routes.
    public let paths: [String]
    private let nodes: [Node]

    /// Creates a router.
    /// - Precondition: no two routes have the same method and the same path; no path has more than
    ///   two parameters.
    public init(_ routes: [Route]) {
        self.routes = routes
        let root = TreeNode()
        for route in routes {
            let node = Self.segments(of: route.path).reduce(root) { node, segment in
                Self.child(of: node, for: segment)
            }
            precondition(node.routes[route.method] == nil, "two routes for \(route.path)")
            precondition(
                route.path.utf8.count { $0 == UInt8(ascii: "{") } <= PathParameters.limit,
                "too many parameters: \(route.path)")
            node.routes[route.method] = route
        }
        paths = Self.paths(of: routes)
        let numbers = Dictionary(uniqueKeysWithValues: zip(paths, paths.indices))
        var nodes: [Node] = []
        Self.flatten(root, numbers, into: &nodes)
        self.nodes = nodes
    }

    /// Returns the distinct paths of the routes, in the order of the routes.
    public static func paths(of routes: [Route]) -> [String] {
        routes.reduce(into: []) { paths, route in
            if !paths.contains(route.path) { paths.append(route.path) }
        }
    }

    /// Carries out a request with the route of its match.
    /// - Parameter respond: called exactly once, with the response or with the problem of the match
    ///   or route.
    public func handle(
        _ request: Request, _ match: Match,
        respond: @escaping @Sendable (@escaping Route.ResponseMaker) -> Void
    ) {
        do throws(Problem) {
            if let route = try match.route.get() {
                try route.handler(request, match.parameters, respond)
            } else {
                respond { options(of: match) }
            }
        } catch {
            respond { () throws(Problem) in throw error }
        }
    }

    /// Returns the response to `OPTIONS`.
    private func options(of match: Match) -> Response {
        Response(
            .noContent,
            headers: ["Allow": match.node.map { nodes[$0].allow } ?? "GET, HEAD, POST, OPTIONS"])
    }

    /// Finds the route of a request. The match has a problem if the request has no route.
    public func match(_ request: Request) -> Match {
        var parameters = PathParameters()
        let node = node(of: request.target, &parameters)
        return Match(
            path: node.flatMap { nodes[$0].path }, parameters, route(of: request, node),
            node: node)
    }

    private func route(of request: Request, _ node: Int?) -> Result<Route?, Problem> {
        if request.target.path == "*", request.method == .options { return .success(nil) }
        guard let node = node.map({ nodes[$0] }) else {
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
                "\(request.target.path) does not take \(request.method.name); it takes \(node.allow)",
                headers: ["Allow": node.allow]))
    }

    /// Returns the index of the node for a request target; nil if no route ends there. Appends the
    /// parameters on the path to that node.
    private func node(of target: RequestTarget, _ parameters: inout PathParameters) -> Int? {
        var index: Int? = 0
        if let segments = target.decodedSegments {
            for segment in segments {
                guard let node = index else { return nil }
                var text = segment
                index = text.withUTF8 { bytes in
                    next(node, bytes) { parameters.append(segment[...]) }
                }
            }
        } else {
            var path = target.path
            let text = path
            index = path.withUTF8 { bytes in node(of: bytes, in: text, &parameters) }
        }
        return index.flatMap { nodes[$0].path == nil ? nil : $0 }
    }

    /// Finds the node for a path without escapes.
    /// - Parameter path: the bytes of `text`.
    private func node(
        of path: UnsafeBufferPointer<UInt8>, in text: String,
        _ parameters: inout PathParameters
    ) -> Int? {
        var index = 0
        var start = 1
        while start <= path.count {
            let end = endOfSegment(of: path, from: start)
            let segment = UnsafeBufferPointer(rebasing: path[start..<end])
            let found = next(index, segment) {
                let first = text.utf8.index(text.startIndex, offsetBy: start)
                let last = text.utf8.index(first, offsetBy: end - start)
                parameters.append(Substring(text.utf8[first..<last]))
            }
            guard let found else { return nil }
            index = found
            start = end + 1
        }
        return index
    }

    private func endOfSegment(of path: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let first = path.baseAddress, start < path.count,
            let slash = memchr(first + start, Int32(UInt8(ascii: "/")), path.count - start)
        else { return path.count }
        return UnsafeRawPointer(slash) - UnsafeRawPointer(first)
    }

    /// Returns the index of the child node for one path segment.
    /// - Parameter take: called if the segment is the value of a parameter.
    @inline(__always)
    private func next(
        _ index: Int, _ segment: UnsafeBufferPointer<UInt8>, take: () -> Void
    ) -> Int? {
        if !nodes[index].literals.isEmpty {
            let hash = wordHash(UnsafeRawBufferPointer(segment))
            for literal in nodes[index].literals
            where literal.hash == hash && literal.text.elementsEqual(segment) {
                return literal.node
            }
        }
        guard let parameter = nodes[index].parameter, !segment.isEmpty else { return nil }
        take()
        return parameter
    }

    // MARK: Building the tree

    private static func segments(of path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func child(of node: TreeNode, for segment: Substring) -> TreeNode {
        if segment.hasPrefix("{") {
            let child = node.parameter ?? TreeNode()
            node.parameter = child
            return child
        }
        let child = node.literals[String(segment)] ?? TreeNode()
        node.literals[String(segment)] = child
        return child
    }

    @discardableResult
    private static func flatten(
        _ tree: TreeNode, _ numbers: [String: Int], into nodes: inout [Node]
    ) -> Int {
        let index = nodes.count
        nodes.append(Node())
        var node = Node(routes: Array(tree.routes.values), allow: allow(tree.routes))
        node.path = tree.routes.values.first.flatMap { numbers[$0.path] }
        for (literal, child) in tree.literals {
            let text = Array(literal.utf8)
            node.literals.append(
                Literal(
                    hash: text.withUnsafeBytes { wordHash($0) }, text: text,
                    node: flatten(child, numbers, into: &nodes)))
        }
        node.parameter = tree.parameter.map { flatten($0, numbers, into: &nodes) }
        nodes[index] = node
        return index
    }

    /// Returns the value of `Allow`, with the methods in the order of RFC 9110 so that the value is
    /// stable.
    private static func allow(_ routes: [Method: Route]) -> String {
        let order: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter { method in
            method == .options || routes[method == .head ? .get : method] != nil
        }.map(\.name).joined(separator: ", ")
    }
}
