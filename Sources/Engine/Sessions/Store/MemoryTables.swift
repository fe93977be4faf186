import WaypostCore

/// The accounts, credentials, tokens and idempotency records of a `MemoryStore`.
struct MemoryTables {
    var accounts: [Username: Account] = [:]
    var credentials: [SecretHash: Credential] = [:]
    /// The hashes of each account's credentials.
    var credentialsOfAccounts: [Username: Set<SecretHash>] = [:]
    private(set) var tokens: [SecretHash: SessionToken] = [:]
    /// The hashes of each session's tokens, and of the tokens that were made with each credential.
    private var tokensOfSessions: [SessionID: Set<SecretHash>] = [:]
    private var tokensOfCredentials: [SecretHash: Set<SecretHash>] = [:]
    var idempotencyRecords: [SecretHash: IdempotencyRecord] = [:]
    /// For each session, the ids of the idempotency records that are deleted when the session
    /// ends, the oldest first.
    var idempotencyRecordsOfSessions: [SessionID: [SecretHash]] = [:]

    func credentials(of username: Username) -> [Credential] {
        (credentialsOfAccounts[username] ?? []).compactMap { credentials[$0] }
    }

    mutating func insert(_ credential: Credential) {
        credentials[credential.hash] = credential
        credentialsOfAccounts[credential.username, default: []].insert(credential.hash)
        let refused = credentials(of: credential.username)
            .filter { $0.refusal(at: credential.createdAt) != nil }
        guard refused.count > Credential.rememberedLimit else { return }
        let byAge = refused.sorted { $1.position.isAfter($0.position) }
        for credential in byAge[Credential.rememberedLimit...] { remove(credential) }
    }

    mutating func remove(_ credential: Credential) {
        credentials[credential.hash] = nil
        credentialsOfAccounts[credential.username]?.remove(credential.hash)
        if credentialsOfAccounts[credential.username]?.isEmpty == true {
            credentialsOfAccounts[credential.username] = nil
        }
    }

    func tokens(of session: SessionID) -> [SessionToken] {
        (tokensOfSessions[session] ?? []).compactMap { tokens[$0] }
    }

    mutating func insert(_ token: SessionToken) {
        tokens[token.hash] = token
        tokensOfSessions[token.session, default: []].insert(token.hash)
        tokensOfCredentials[token.credential, default: []].insert(token.hash)
    }

    mutating func removeToken(_ hash: SecretHash) {
        guard let token = tokens.removeValue(forKey: hash) else { return }
        tokensOfSessions[token.session]?.remove(hash)
        if tokensOfSessions[token.session]?.isEmpty == true {
            tokensOfSessions[token.session] = nil
        }
        tokensOfCredentials[token.credential]?.remove(hash)
        if tokensOfCredentials[token.credential]?.isEmpty == true {
            tokensOfCredentials[token.credential] = nil
        }
    }

    mutating func removeTokens(of session: SessionID) {
        for hash in tokensOfSessions[session] ?? [] { removeToken(hash) }
    }

    mutating func revoke(_ hash: SecretHash) {
        credentials[hash]?.isRevoked = true
        for token in tokensOfCredentials[hash] ?? [] { removeToken(token) }
    }

    mutating func insert(_ record: IdempotencyRecord) {
        let old = idempotencyRecords.updateValue(record, forKey: record.id)
        if let session = old?.session {
            idempotencyRecordsOfSessions[session]?.removeAll { $0 == record.id }
        }
        guard let session = record.session else { return }
        idempotencyRecordsOfSessions[session, default: []].append(record.id)
    }

    mutating func remove(_ records: WriteBatch.OutdatedRecords) {
        var count = records.count
        for id in idempotencyRecordsOfSessions[records.session] ?? [] where count > 0 {
            guard let record = idempotencyRecords[id], records.now < record.expiresAt else {
                continue
            }
            idempotencyRecords[id] = nil
            count -= 1
        }
        dropRemovedRecords(of: records.session)
    }

    private mutating func dropRemovedRecords(of session: SessionID) {
        idempotencyRecordsOfSessions[session]?.removeAll { idempotencyRecords[$0] == nil }
        if idempotencyRecordsOfSessions[session]?.isEmpty == true {
            idempotencyRecordsOfSessions[session] = nil
        }
    }

    mutating func removeIdempotencyRecords(of session: SessionID) {
        for id in idempotencyRecordsOfSessions.removeValue(forKey: session) ?? [] {
            idempotencyRecords[id] = nil
        }
    }

    mutating func removeIdempotencyRecords(before now: Timestamp) {
        var sessions: Set<SessionID> = []
        for (id, record) in idempotencyRecords where record.expiresAt <= now {
            idempotencyRecords[id] = nil
            if let session = record.session { sessions.insert(session) }
        }
        for session in sessions { dropRemovedRecords(of: session) }
    }
}
