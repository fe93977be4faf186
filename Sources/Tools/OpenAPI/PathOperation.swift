import HTTPCore
import WaypostAPI
import Yams

/// An operation of the document: what it says of one route.
struct PathOperation {
    private let route: RouteDescription
    private let fragments: Fragments
    private let links: Node

    /// - Parameter links: the links of a response that opens a session.
    init(_ route: RouteDescription, _ fragments: Fragments, links: Node) {
        self.route = route
        self.fragments = fragments
        self.links = links
    }

    func node() -> Node {
        var members: [(String, Node)] = [
            ("operationId", .text(route.operationID)), ("tags", .texts([route.tag.rawValue])),
            ("summary", .text(route.summary)),
        ]
        if !route.text.isEmpty { members.append(("description", .text(route.text))) }
        if let security = security { members.append(("security", security)) }
        let parameters = route.requestParameters.map { Node.reference("parameters", $0) }
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        if let body = route.body { members.append(("requestBody", requestBody(body))) }
        members.append(("responses", responses()))
        let codes = route.allProblems.map(\.code).sorted()
        if !codes.isEmpty { members.append(("x-problem-codes", .texts(codes))) }
        return .object(members)
    }

    private var security: Node? {
        if let name = route.security { return [.object([(name, .array([]))])] }
        // A fork needs a token of the other session.
        return route.allProblems.contains { $0.code == "unauthorized" }
            ? [[:], ["sessionToken": []]] : nil
    }

    private func requestBody(_ body: RouteDescription.Body) -> Node {
        let content = fragments.content(body.schema)
        let types =
            ["application/json"] + (body.isMergePatch ? ["application/merge-patch+json"] : [])
        return .object(
            (body.isOptional ? [] : [("required", Node.true)])
                + [("content", .object(types.map { ($0, content) }))])
    }

    private func responses() -> Node {
        let answer = route.answer
        let success = answer.isChange ? Node.reference("responses", answer.schema ?? "") : success()
        var members = [("\(answer.status.code)", success)]
        if answer.headers.contains("AcceptRanges") {
            members.append(("206", response("The requested range.", ["ContentRange"])))
        }
        let notModified: String? =
            switch route.caching {
            case .validated: "NotModified"
            case .shared: "SharedNotModified"
            case .page: "PageNotModified"
            case .forbidden, .untagged: nil
            }
        if let notModified { members.append(("304", .reference("responses", notModified))) }
        for status in Set(route.allProblems.map(\.status.code)).sorted() {
            members.append(("\(status)", .reference("responses", "Problem\(status)")))
        }
        members.append(("default", .reference("responses", "Problem")))
        return .object(members)
    }

    private func success() -> Node {
        var node = response("\(route.summary).", [])
        if route.answer.status == .created, route.answer.schema == "NewSession" {
            node.mapping?["links"] = links
        }
        return node
    }

    private func response(_ description: String, _ headers: [String]) -> Node {
        var response: Node = [
            "description": .text(description),
            "headers": fragments.headers(headers + route.responseHeaders),
        ]
        if !route.answer.mediaTypes.isEmpty {
            response["content"] = .object(route.answer.mediaTypes.map { ($0, content($0)) })
        }
        return response
    }

    private func content(_ mediaType: String) -> Node {
        if let schema = route.answer.schema {
            return fragments.content(schema + (route.answer.isPage ? "Page" : ""))
        }
        // Tools disagree whether the schema is that of the whole stream or of one message.
        if mediaType == "text/event-stream" {
            return ["schema": [:], "x-event-schemas": fragments.messages]
        }
        let isText = mediaType.hasPrefix("text/") || mediaType == "image/svg+xml"
        return ["schema": isText ? ["type": "string"] : ["type": "string", "format": "binary"]]
    }
}
