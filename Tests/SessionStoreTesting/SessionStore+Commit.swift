import Sessions
import WaypostCore

extension SessionStore {
    /// Writes a batch, all of it or nothing. Returns when the batch is as durable as the store
    /// promises.
    package func commit(_ batch: WriteBatch) async throws(SessionError) {
        try await withCompletion { commit(batch, completion: $0) }
    }
}
