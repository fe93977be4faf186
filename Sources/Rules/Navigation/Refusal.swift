internal import JSON
internal import NavigationRules

/// The reason why an operation was refused. A refused operation changes nothing.
public struct Refusal: Error, Equatable, CustomStringConvertible {
    /// The code of the problem with which the service answers, such as `no-back-button`;
    /// `docs/problems.md` lists all.
    public let code: String
    /// The reason in words.
    public let description: String

    init(_ error: NavigationError) { self.init(error.code.rawValue, error.detail) }

    init(_ error: BodyError) {
        switch error {
        case .invalid(let defects):
            // A defect of the whole text has no pointer.
            let texts = defects.map { defect in
                [defect.pointer, defect.detail].filter { !$0.isEmpty }.joined(separator: ": ")
            }
            self.init(invalid: texts.joined(separator: "; "))
        case .refused(let code, let detail, _): self.init(code, detail)
        }
    }

    init(invalid reason: String) {
        self.init(NavigationError.Code.invalidBody.rawValue, reason)
    }

    private init(_ code: String, _ description: String) {
        self.code = code
        self.description = description
    }
}
