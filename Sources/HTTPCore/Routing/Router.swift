/// Finds the route of a request: a tree of path segments, a literal before a parameter. A literal
/// that leads nowhere is not tried again as a parameter: `/authors/{author}/books` is not found at
/// `/authors/new/books` once there is a route `/authors/new`.
public struct Router: Sendable {
    private final class Node {
        var literals: [String: Node] = [:]
        var parameter: Node?
        var routes: [Method: Route] = [:]
    }

    /// The tree, flattened when it is finished, so that it never changes and is shared freely.
    private struct Place: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var routes: [Method: Route] = [:]
        /// The value of `Allow`; empty where no route ends.
        var allow = ""
    }

    public let routes: [Route]
    private let places: [Place]

    /// - Precondition: no two routes have the same method and the same path.
    public init(_ routes: [Route]) {
        self.routes = routes
        let root = Node()
        for route in routes {
            let node = Self.segments(of: route.path).reduce(root) { node, segment in
                Self.child(of: node, for: segment)
            }
            precondition(node.routes[route.method] == nil, "two routes for \(route.path)")
            node.routes[route.method] = route
        }
        var places: [Place] = []
        Self.flatten(root, into: &places)
        self.places = places
    }

    /// - Throws: `.notFound`, `.methodNotAllowed`, and what the route throws.
    public func respond(to request: Request) async throws(Problem) -> Response {
        if request.target.path == "*", request.method == .options {
            return Response(.noContent, headers: ["Allow": "GET, HEAD, POST, OPTIONS"])
        }
        var parameters = PathParameters()
        guard let place = place(of: request.target.segments, &parameters) else {
            throw Problem(.notFound, "nothing is at \(request.target.path)")
        }
        if let route = place.routes[request.method == .head ? .get : request.method] {
            return try await route.handler(request, parameters)
        }
        if request.method == .options {
            return Response(.noContent, headers: ["Allow": place.allow])
        }
        throw Problem(
            .methodNotAllowed,
            "\(request.target.path) does not take \(request.method.name); it takes \(place.allow)",
            headers: ["Allow": place.allow])
    }

    /// The place where a route ends, and the parameters on the way there.
    private func place(of segments: [String], _ parameters: inout PathParameters) -> Place? {
        var index = 0
        for segment in segments {
            if let next = places[index].literals[segment] {
                index = next
            } else if let next = places[index].parameter, !segment.isEmpty {
                parameters.append(segment)
                index = next
            } else {
                return nil
            }
        }
        return places[index].routes.isEmpty ? nil : places[index]
    }

    // MARK: Making the tree

    private static func segments(of path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func child(of node: Node, for segment: Substring) -> Node {
        if segment.hasPrefix("{") {
            let child = node.parameter ?? Node()
            node.parameter = child
            return child
        }
        let child = node.literals[String(segment)] ?? Node()
        node.literals[String(segment)] = child
        return child
    }

    @discardableResult
    private static func flatten(_ node: Node, into places: inout [Place]) -> Int {
        let index = places.count
        places.append(Place())
        var place = Place(routes: node.routes, allow: allow(node.routes))
        for (literal, child) in node.literals {
            place.literals[literal] = flatten(child, into: &places)
        }
        place.parameter = node.parameter.map { flatten($0, into: &places) }
        places[index] = place
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
