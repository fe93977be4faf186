/// The result of a check of a whole store.
public struct StoreReport: Sendable, Equatable {
    public let sessions: Int
    public let accounts: Int
    /// Descriptions of the defects; empty if there are none.
    public let defects: [String]

    package init(sessions: Int, accounts: Int, defects: [String]) {
        self.sessions = sessions
        self.accounts = accounts
        self.defects = defects
    }
}
