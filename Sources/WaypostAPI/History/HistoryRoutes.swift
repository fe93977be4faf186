import HTTPCore
import JSON
import Navigation
import Sessions
import WaypostCore

/// The routes that return the recorded changes of a session, as JSON or as a flow file (a scripted
/// test). The type is a class, so that all routes share one instance.
final class HistoryRoutes: Sendable {
    private let app: App
    private let tags: SessionTags
    private let access: SessionAccess
    private let limits: RateLimits

    init(app: App, tags: SessionTags, access: SessionAccess, limits: RateLimits) {
        self.app = app
        self.tags = tags
        self.access = access
        self.limits = limits
    }

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions/{session}/history", task: history),
            Route(
                .get, "/v1/sessions/{session}/flow", produces: ["application/yaml"], task: flow),
        ]
    }

    private func history(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Route.ResponseMaker {
        let session = try await access.session(access.credentials(parameters, request))
        let query = try Query(request, "after", "limit")
        let after = try query.position("after")
        let limit = try query.limit()
        let page: HistoryPage
        do {
            page = try await session.history(after: after, limit: limit, for: reader(of: request))
        } catch {
            throw Problem(error)
        }
        return { [tags, page] () throws(Problem) in
            var json = JSONWriter()
            json.historyPage(page, after: after)
            let tag = tags.tag(of: page, after: after, limit: limit)
            return .session(to: request, tag, json.bytes)
        }
    }

    private func flow(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Route.ResponseMaker {
        let session = try await access.session(access.credentials(parameters, request))
        let query = try Query(request, "from")
        let from = try query.revision("from")
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

extension Query {
    /// Reads a query parameter whose value is a revision, an integer of 1 or more.
    /// - Returns: nil if the parameter is absent.
    /// - Throws: `.invalidQuery` for any other value.
    func revision(_ name: String) throws(Problem) -> Int? {
        text(name) == nil
            ? nil : try integer(name, in: 1...Int.interoperable.upperBound, default: 1)
    }
}

extension JSONWriter {
    /// The size at which a page of the history ends, in bytes. A limit on the number of changes
    /// alone would not bound the size of the page, because each change may have a large body.
    private static let historyLimit = 256 << 10

    /// Writes a page of a session's history.
    /// - Parameter after: the revision of the last change before the page.
    mutating func historyPage(_ page: HistoryPage, after: Int) {
        var end = after
        object { json in
            json.name("history")
            json.array(page.changes) { json, change in
                // The next page has the remaining changes.
                guard json.size < Self.historyLimit else { return }
                json.object { $0.change(change) }
                end = change.entry.revision
            }
            json.name("next")
            if end < page.last, end > after { json.integer(end) } else { json.null() }
            json.member("last", page.last)
        }
    }

    /// Writes the JSON members of a recorded change.
    private mutating func change(_ change: RecordedChange) {
        member("revision", change.entry.revision)
        member("time", change.entry.time)
        name("operation")
        operation(of: change.entry.change, isWithheld: change.isWithheld)
        member("withheld", change.isWithheld)
        member("requestID", change.entry.requestID)
        member("transition", change.transition?.rawValue)
        member("title", change.title)
    }
}
