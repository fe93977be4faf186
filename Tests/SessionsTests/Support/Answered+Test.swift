import Navigation
import WaypostCore

@testable import Sessions

struct AnsweredBefore: Error {}
struct AnsweredNow: Error {}

extension Answered {
    /// What came of a request that has not come before.
    /// - Throws: `AnsweredBefore`, which fails the test, if it has.
    var value: Output {
        get throws {
            guard case .fresh(let result) = self else { throw AnsweredBefore() }
            return result
        }
    }

    /// The answer to a request that has come before.
    /// - Throws: `AnsweredNow`, which fails the test, if it has not.
    var replay: [UInt8] {
        get throws {
            guard case .replayed(let answer) = self else { throw AnsweredNow() }
            return answer
        }
    }
}

extension SessionDirectory {
    /// A session that this call opened.
    func opened(
        credential: String? = nil, lifecycle: LifecycleOrder = .forwarded
    ) async throws -> (session: SessionSnapshot, token: Secret) {
        let opened = try await open(credential: credential, lifecycle: lifecycle).value
        return (opened.session, opened.token)
    }
}

extension SessionStore {
    /// Whether the stored session is this one, whatever the version of its row is.
    func holds(_ snapshot: SessionSnapshot) async throws -> Bool {
        try await session(snapshot.id).map { $0 == StoredSession(snapshot, $0.version) } ?? false
    }
}
