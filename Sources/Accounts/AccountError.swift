/// Why an account could not be made, entered or changed. Never says which of username and password
/// is wrong, nor that an account is disabled.
public enum AccountError: Error, Sendable, Equatable {
    case invalidUsername(String)
    case invalidPassword(String)
    /// Too easily guessed.
    case weakPassword(String)
    case usernameTaken
    case wrongCredentials
    /// Of an account that is open already.
    case wrongPassword
    case throttled(RateLimitExceeded)
    /// Only the operator makes accounts.
    case signUpClosed
    case accountNotFound
    /// Somebody else changed it in the meantime.
    case accountChanged
    case credentialNotFound
    /// Too many passwords are being hashed.
    case busy
    case storage(StorageError)
}
