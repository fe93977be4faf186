/// The 10,000 most common leaked passwords, in lower case. They are the first entries of the list
/// in the Python package `zxcvbn` 4.5.0 (MIT licence).
enum CommonPasswords {
    private static let all = Set(
        commonPasswordList.withUTF8Buffer { text in
            text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        })

    /// Returns whether a password is in the list, regardless of upper and lower case, because
    /// attackers also vary the case of common passwords.
    static func contains(_ password: String) -> Bool { all.contains(password.lowercased()) }
}
