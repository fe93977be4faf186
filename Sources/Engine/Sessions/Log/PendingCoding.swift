import JSON
import NavigationRules

// The stored form of the action that waits for a log-in. A link has the form of the versions that
// kept nothing but links.

extension JSONWriter {
    /// Writes the member of a window's object, or of an effect's, for a pending action.
    mutating func pending(_ pending: PendingAction) {
        if let path = pending.onlyPath { return member("link", path) }
        object("pending") { json in
            if let id = pending.viewController { json.member("vc", id.number) }
            json.name("do")
            pending.operation.write(animated: pending.animated, to: &json)
        }
    }
}

extension JSONValue {
    /// Reads the pending action from the object of a window or of an effect.
    /// - Returns: nil if the action is damaged; `.some(nil)` if the object has none.
    func pendingAction() -> PendingAction?? {
        guard let pending = self["pending"] else {
            return .some((self["link"]?.text).map { PendingAction(link: $0) })
        }
        guard let (operation, animated) = pending["do"]?.storedOperation(),
            let number = pending.ifPresent("vc", \.storedNumber)
        else { return nil }
        return PendingAction(
            viewController: number.map { ViewController.ID(number: $0) }, operation,
            animated: animated)
    }

    /// Reads an operation in the form in which a client requests it.
    /// - Returns: nil if no client could have requested the operation.
    func storedOperation() -> (operation: Operation, animated: Bool?)? {
        guard case .object(let object) = self else { return nil }
        var reader = BodyReader(object)
        let operation = Operation.read(&reader, inBatch: false)
        guard (try? reader.finish()) != nil else { return nil }
        return operation
    }
}
