import HTTPCore
import Sessions

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
        var page = HistoryPage(limit: asked.limit)
        let present = try await session.history.page(
            after: after, limit: asked.readLimit, for: reader(of: request)
        ) { page.add($0) }.present
        try PageRequest.check(after, last: present.window.revision)
        try page.checkSize()
        let tag = tags.tag(ofHistoryUpTo: present, after: after, limit: asked.limit)
        return { [page] in .session(to: request, tag, page.json) }
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

    func reader(of request: Request) -> HistoryReader {
        let exchange = request.exchange
        return HistoryReader(client: limits.client(of: request)) { exchange?.isAbandoned ?? false }
    }
}
