import NavigationRules
import WaypostCore

@testable import Sessions

struct AnsweredBefore: Error {}
struct AnsweredNow: Error {}

extension IdempotentResult {
    /// The output of a request that was not made before.
    /// - Throws: `AnsweredBefore`, which fails the test, if the request was made before.
    var value: Output {
        get throws {
            guard case .fresh(let result) = self else { throw AnsweredBefore() }
            return result
        }
    }

    /// The stored response to a repeated request.
    /// - Throws: `AnsweredNow`, which fails the test, if the request was not made before.
    var replay: [UInt8] {
        get throws {
            guard case .stored(let answer) = self else { throw AnsweredNow() }
            return answer
        }
    }
}

extension SessionDirectory {
    /// Opens a session, and fails if the request is a repetition.
    func opened(
        credential: String? = nil, lifecycle: LifecycleOrder = .forwarded
    ) async throws -> (session: SessionState, token: Secret) {
        let opened = try await open(credential: credential, lifecycle: lifecycle).value
        return (opened.session, opened.token)
    }
}

extension SessionStore {
    /// Whether the store holds this session, with any row version.
    func holds(_ snapshot: SessionState) async throws -> Bool {
        try await session(snapshot.id).map { $0 == StoredSession(snapshot, $0.version, $0.logEnd) }
            ?? false
    }
}
