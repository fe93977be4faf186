import HTTPCore
import JSON
import NavigationRules

extension Problem {
    /// Creates the problem that reports an error of a navigation operation.
    /// - Parameter pointer: the JSON pointer to the operation in the body, such as `/operations/2`
    ///   in a batch; empty if the body itself is the operation.
    convenience init(_ error: NavigationError, at pointer: String = "") {
        switch error {
        case .inBatch(let index, let name, let error):
            self.init(error, at: "\(pointer)/operations/\(index)/\(name)")
        case .atEntry(let index, let error):
            self.init(error, at: "\(pointer)/viewControllers/\(index)")
        case .invalidParameters(let scene, let defects):
            self.init(
                .invalidBody,
                defects.map { defect in
                    Member(
                        pointer: "\(pointer)/parameters/\(JSONPointer.escaped(defect.name))",
                        detail: defect.detail(inScene: scene))
                })
        case .beyondLimit(let defect):
            let member = defect.member.map { "/" + JSONPointer.escaped($0) }.joined()
            self.init(
                .invalidBody,
                [Member(pointer: pointer + member, detail: defect.reason.detail)])
        default:
            let detail = error.detail
            let pointer = pointer + (Self.member(at: error).map { "/\($0)" } ?? "")
            self.init(
                error.code.kind, detail,
                members: pointer.isEmpty ? [] : [Member(pointer: pointer, detail: detail)],
                callbacks: error.callbacks)
        }
    }

    /// Returns the name of the body member whose value caused the error; nil if the session's state
    /// caused the error.
    private static func member(at error: NavigationError) -> String? {
        switch error {
        case .sceneNotFound, .unsupportedViewController: "scene"
        case .emptyStack: "viewControllers"
        case .rowOutOfRange: "row"
        case .segmentOutOfRange, .tabOutOfRange, .tapOutOfRange: "index"
        case .segueNotFound: "identifier"
        case .flagNotFound(let name, _): "flags/\(JSONPointer.escaped(name))"
        case .navigationControllerNotFound: "navigationController"
        case .linkNotFound(let link), .foreignLink(let link, _), .malformedLink(let link, _):
            link.member
        case .alreadyOnStack: "viewController"
        case .viewControllerNotFound(_, let member): member
        default: nil
        }
    }
}
