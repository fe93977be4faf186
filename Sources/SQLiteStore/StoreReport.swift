/// What a check of the whole store found.
public struct StoreReport: Sendable, Equatable {
    public let sessions: Int
    public let accounts: Int
    /// Empty if all is well.
    public let defects: [String]
}
