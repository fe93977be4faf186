import NavigationRules
import SessionStoreTesting
import Sessions
import TestSupport
import WaypostCore

@testable import SQLiteStore

/// Sessions to store.
enum Sample {
    static func session(_ number: UInt64) -> StoredSession {
        let environment = Environment(now: { Timestamp(milliseconds: 0) }, random: { number })
        let secret = Secret.make(for: .session, environment)
        return StoredSession(
            id: SessionID(hexadecimal(number) + hexadecimal(number))
                ?? { preconditionFailure("32 digits are an id") }(),
            tokenHash: secret.hash, createdAt: environment.now(),
            expiresAt: Timestamp(milliseconds: 1 << 50),
            window: StoredWindow(
                lifecycle: .native, revision: 1, auth: .loggedOut,
                stack: [
                    .init(
                        number: 1, scene: "a", parameters: [:], isViewLoaded: true,
                        changes: ViewControllerChanges())
                ], segments: nil, pending: nil, lastEvent: 0, lastViewController: 1),
            credential: nil, credentialRefusal: nil, logEnd: SessionStoreTesting.Sample.logEnd)
    }

    static func insert(_ numbers: ClosedRange<UInt64>, _ store: SQLiteStore) async throws {
        for number in numbers {
            try await store.commit(WriteBatch(storing: .insert(session(number))))
        }
    }

    static func events(_ numbers: ClosedRange<Int>) -> [LifecycleEvent] {
        numbers.map { seq in
            LifecycleEvent(
                seq: seq, revision: 1, kind: .didShow, viewController: .init(number: 1), scene: "a",
                animated: false)
        }
    }
}
