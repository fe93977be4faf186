import WaypostCore

extension SessionDirectory {
    /// Logs in to an account in a session of its own, which then ends.
    /// - Returns: a new credential of the account.
    /// - Throws: `.wrongPassword`; `.navigation` if the app has no log-in; `.storage`.
    public func credential(
        _ username: String, _ password: String
    ) async throws(SessionError) -> Secret? {
        // A strict session may show no form for the log-in.
        guard case .fresh(let opened) = try await open(isStrict: false),
            let session = try await session(opened.session.id)
        else { throw .ended }
        let request = LogInRequest(.logIn, username, password)
        let end = { session.perform(ChangeRequest(.end()), completion: $0) }
        let logIn: IdempotentResult<ChangeResult>
        do throws(SessionError) {
            logIn = try await withCompletion { session.logIn(request, completion: $0) }
        } catch {
            _ = try await withCompletion(end)
            throw error
        }
        _ = try await withCompletion(end)
        guard case .fresh(let result) = logIn else { return nil }
        return result.credential
    }
}
