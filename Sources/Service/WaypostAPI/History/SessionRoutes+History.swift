import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostCore

extension SessionRoutes {
    /// The routes that return the recorded changes of a session, as JSON or as a flow file (a
    /// scripted test).
    var historyRoutes: [Route] {
        [
            Route(
                .get, "/v1/sessions/{session}/history", query: PageRequest.parameters,
                task: history),
            Route(
                .get, "/v1/sessions/{session}/flow", query: ["from"],
                produces: ["application/yaml"], task: flow),
        ]
    }

    private func history(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let session = try await session(credentials(context))
        let asked = try Query(request).page()
        let after = try asked.number()
        let found = try await session.history.page(
            after: after, limit: asked.readLimit, for: reader(of: request))
        try PageRequest.check(after, last: found.last)
        return { [tags, found] () throws(Problem) in
            var json = JSONWriter()
            try json.historyPage(found.changes, limit: asked.limit)
            let tag = tags.tag(of: found, after: after, limit: asked.limit)
            return .session(to: request, tag, json.bytes)
        }
    }

    private func flow(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let session = try await session(credentials(context))
        let from = try Query(request).integer("from", in: Query.revisions)
        let text = try await FlowExport(session, app, for: reader(of: request)).text(from: from)
        return {
            Response(
                .ok,
                headers: [
                    "Content-Type": "application/yaml", "Cache-Control": CacheControl.session,
                ], body: .bytes(Array(text.utf8)))
        }
    }

    private func reader(of request: Request) -> HistoryReader {
        let exchange = request.exchange
        return HistoryReader(client: limits.client(of: request)) { exchange?.isAbandoned ?? false }
    }
}

extension JSONWriter {
    /// The maximum size of a page of the history with more than one change, in bytes. A limit on
    /// the number of changes alone does not bound the size, because each change may have a body as
    /// large as a request. A page of the default limit always fits if requests have the default
    /// maximum size.
    static let historySizeLimit = 8 << 20

    /// Writes a page of a session's history.
    /// - Parameters:
    ///   - found: the changes; more than `limit` if another page follows.
    ///   - sizeLimit: the maximum size of a page with more than one change, in bytes.
    /// - Throws: `.sessionTooLarge` if the page would be too large. The page is not cut, because a
    ///   page has fewer changes than `limit` only at the end of the list.
    mutating func historyPage(
        _ found: [RecordedChange], limit: Int, sizeLimit: Int = Self.historySizeLimit
    ) throws(Problem) {
        var count = 0
        var isTooLarge = false
        page(found, limit: limit, at: \.entry.revision.description) { json, change in
            guard !isTooLarge else { return }
            json.object { $0.change(change) }
            isTooLarge = json.size > sizeLimit && count > 0
            if !isTooLarge { count += 1 }
        }
        if isTooLarge {
            throw Problem(
                NavigationError.Code.sessionTooLarge.kind,
                "the page would be larger than \(sizeLimit >> 20) MiB: send limit=\(count)")
        }
    }

    /// Writes the JSON members of a recorded change.
    private mutating func change(_ change: RecordedChange) {
        member("revision", change.entry.revision)
        member("time", change.entry.time)
        name("operation")
        operation(of: change.entry.action, isHidden: change.isHidden)
        member("withheld", change.isHidden)
        member("requestId", change.entry.requestID)
        member("transition", change.transition?.rawValue)
        member("title", change.title)
    }
}
