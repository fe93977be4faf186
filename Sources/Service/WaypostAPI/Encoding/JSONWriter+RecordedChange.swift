import JSON
import NavigationRules
import Sessions

extension JSONWriter {
    /// Writes a change of the history in the form of an operation: an object with one member, the
    /// name of the operation, whose value is the body of its request.
    ///
    /// Two names stand for changes that no client requested. `fall-back` is a log-out because the
    /// user's credential is no longer valid. `fresh-root` is a new start of the session at its root
    /// view controller, because the app lacks a scene or data that the session needs, or new tabs or
    /// segments of the session, because the app has gained them.
    /// - Parameter isHidden: whether the client must not see the body, which is then null.
    mutating func operation(of change: LogEntry.Action, isHidden: Bool = false) {
        if case .perform(let operation, let animated) = change, !isHidden {
            let isDefault = operation.base.isAnimatedByDefault == animated
            return operation.write(animated: isDefault ? nil : animated, to: &self)
        }
        object { json in
            json.name(escaping: change.name)
            if isHidden { return json.null() }
            json.object { json in
                switch change {
                case .logIn(let username, _, _): json.member("username", username)
                case .fallBack(let refusal): json.member("reason", refusal.rawValue)
                case .perform, .logOut, .freshRoot: break
                }
            }
        }
    }
}

extension LogEntry.Action {
    fileprivate var name: String {
        switch self {
        case .perform(let operation, _): operation.name
        case .logIn(_, _, let isSignUp): isSignUp ? LogIn.signUpName : LogIn.name
        case .logOut: LogOut.name
        case .fallBack: "fall-back"
        case .freshRoot: "fresh-root"
        }
    }
}
