/// The account whose password a request holds, and the client that sent it. A request that is sent again with an
/// `Idempotency-Key` tells whether it holds the password of the first time: so it counts as a guess.
public struct PasswordGuess: Sendable {
    /// The name as it was received; nobody need have it.
    public let username: String
    /// Nil where it is not known.
    public let client: String?

    public init(username: String, client: String?) {
        self.username = username
        self.client = client
    }
}
