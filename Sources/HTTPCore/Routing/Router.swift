import Glibc

/// Finds the route of a request: a tree of path segments, a literal before a parameter. A literal
/// that leads nowhere is not tried again as a parameter: `/authors/{author}/books` is not found at
/// `/authors/new/books` once there is a route `/authors/new`.
public struct Router: Sendable {
    private final class TreeNode {
        var literals: [String: TreeNode] = [:]
        var parameter: TreeNode?
        var routes: [Method: Route] = [:]
    }

    /// The tree, flattened when it is finished, so that it never changes and is shared freely.
    private struct Node: Sendable {
        var literals: [Literal] = []
        var parameter: Int?
        /// Few: to look at each is faster than to hash a method.
        var routes: [Route] = []
        /// The value of `Allow`; empty where no route ends.
        var allow = ""
        /// In `paths`; nil where no route ends.
        var path: Int?
    }

    private struct Literal: Sendable {
        let hash: UInt64
        let text: [UInt8]
        let node: Int
    }

    /// The route of a request. A class, as several closures refer to it.
    public final class Match: Sendable {
        /// The index in `paths` of the path that matches; nil if none does.
        public let path: Int?
        public let parameters: PathParameters
        /// Nil for `OPTIONS`, which the router answers itself; a problem if there is no route for the
        /// request, or the client does not take what it sends: `.notFound`, `.methodNotAllowed`,
        /// `.notAcceptable`.
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

        /// Returns a match of the same path that refuses the request.
        public func refusing(_ problem: Problem) -> Match {
            Match(path: path, parameters, .failure(problem), node: node)
        }
    }

    public let routes: [Route]
    /// Each path that has a route, once.
    public let paths: [String]
    private let nodes: [Node]

    /// - Precondition: no two routes have the same method and the same path.
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

    /// The paths of the routes, each once, in the order of the routes.
    public static func paths(of routes: [Route]) -> [String] {
        routes.reduce(into: []) { paths, route in
            if !paths.contains(route.path) { paths.append(route.path) }
        }
    }

    /// Has the route of a match carry out the request.
    /// - Parameter respond: called exactly once, with the response or the problem of the match or route.
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

    /// The response to `OPTIONS`.
    private func options(of match: Match) -> Response {
        Response(
            .noContent,
            headers: ["Allow": match.node.map { nodes[$0].allow } ?? "GET, HEAD, POST, OPTIONS"])
    }

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

    /// Finds the place where a route ends, and the parameters on the way there.
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

    /// - Parameter path: those of `text`, without an escape.
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

    /// - Parameter take: called if the segment is a parameter.
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

    // MARK: Making the tree

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

    /// In the order of RFC 9110, so that the field reads the same each time.
    private static func allow(_ routes: [Method: Route]) -> String {
        let order: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter { method in
            method == .options || routes[method == .head ? .get : method] != nil
        }.map(\.name).joined(separator: ", ")
    }
}
