/// Whose password a request holds, and where the request comes from. A request that is sent again with an
/// `Idempotency-Key` tells whether it holds the password of the first time: so it counts as a guess.
public struct PasswordGuess: Sendable {
    /// As it was received: it need not be one that anybody has.
    public let username: String
    /// Nil where it is not known.
    public let client: String?

    public init(username: String, client: String?) {
        self.username = username
        self.client = client
    }
}
