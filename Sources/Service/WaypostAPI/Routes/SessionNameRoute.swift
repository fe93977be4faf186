import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostCore

/// The route `PATCH /v1/sessions/{session}`, which names a session. A name changes no revision, but
/// it is part of the session and of its entity tag.
struct SessionNameRoute: Sendable {
    let app: App
    let tags: SessionTags
    let access: SessionAccess

    var route: Route { Route(.patch, "/v1/sessions/{session}", task: rename) }

    private func rename(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let session = try await access.session(access.credentials(context))
        let idempotency: IdempotentRequest<ChangeResult>? = try request.idempotency(
            context.idempotencyKey, token: request.bearer(.session)?.text ?? "", storedResponse)
        // A merge patch (RFC 7396) leaves what it does not have.
        let name: String?? = try request.read { body in
            body.expect("name")
            return body.has("name") ? .some(body.name(orNull: true)) : nil
        }
        let result: IdempotentResult<ChangeResult>
        var present: SessionState?
        do {
            let change = ChangeRequest(
                .rename(name), if: tags.precondition(of: request), idempotency: idempotency)
            result = try await withCompletion { session.perform(change, completion: $0) }
            if case .stored = result { present = try await withCompletion(session.read) }
        } catch {
            throw tags.problem(error)
        }
        return { [present] () throws(Problem) in try response(to: result, present) }
    }

    /// - Parameter present: the session as it is now; nil if the request is no repetition.
    private func response(
        to result: IdempotentResult<ChangeResult>, _ present: SessionState?
    ) throws(Problem) -> Response {
        switch result {
        case .fresh(let result):
            return .json(tag: tags.tag(of: result.session), json(result.session))
        case .stored(let bytes):
            let stored = try StoredResponse.read(bytes)
            guard let present else { return stored.response }
            try stored.checkLogIn(of: present)
            return stored.repeated { (json(present), tags.tag(of: present)) }
        }
    }

    private func storedResponse(
        to result: ChangeResult, _ form: IdempotentRequest<ChangeResult>.Form
    ) -> StoredResponse {
        let tag = tags.tag(of: result.session)
        let json = json(result.session)
        let isWhole = form == .whole && json.count <= NavigationRoutes.largestStoredSession
        return StoredResponse(
            .json(tag: tag, isWhole ? json : []), showing: result.session, lacksSession: !isWhole)
    }

    private func json(_ session: SessionState) -> [UInt8] {
        var json = JSONWriter()
        json.session(session, in: app)
        return json.bytes
    }
}
