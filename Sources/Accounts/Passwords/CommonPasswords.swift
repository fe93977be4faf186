/// The 10,000 most common passwords, in lower case: the first of the list that zxcvbn ships
/// (Python package `zxcvbn` 4.5.0, MIT licence; from leaked passwords).
enum CommonPasswords {
    private static let all = Set(
        commonPasswordList.withUTF8Buffer { text in
            text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        })

    /// Without regard to case: `PASSWORD1` is guessed right after `password1`.
    static func contains(_ password: String) -> Bool { all.contains(password.lowercased()) }
}
