/// Why an account could not be made or entered. Never says which of username and password is wrong.
public enum AccountError: Error, Sendable, Equatable {
    case invalidUsername(String)
    case invalidPassword(String)
    case usernameTaken
    case wrongCredentials
    /// Too many passwords are being hashed.
    case busy
    case storage(StorageError)
}
