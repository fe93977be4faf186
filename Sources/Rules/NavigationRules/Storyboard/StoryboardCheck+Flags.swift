/// The checks of flags, of the conditions that name them, and of the controls that set them.
extension StoryboardCheck {
    mutating func checkFlags() {
        if draft.flags.count > Flags.maximum {
            report(
                "flags", "expected \(Flags.maximum) flags at most, found \(draft.flags.count)")
        }
        for name in draft.flags.keys.sorted() {
            if name == Flags.loggedIn {
                report("flags.\(name)", "the name is reserved: it says whether a user is logged in")
            } else if !Flags.isName(name) {
                report(
                    "flags.\(name)",
                    "expected the name of a flag, a letter and at most 39 letters and digits")
            }
        }
    }

    /// Checks the condition of a control or of a segue.
    /// - Parameter keyPath: the place of the control or of the segue.
    mutating func checkCondition(_ condition: FlagCondition?, at keyPath: String) {
        guard let name = condition?.flag, draft.flags[name] == nil else { return }
        let hasLogIn = draft.loginScene != nil
        if name == Flags.loggedIn, hasLogIn { return }
        let known = Array(draft.flags.keys) + (hasLogIn ? [Flags.loggedIn] : [])
        report(
            "\(keyPath).when",
            name == Flags.loggedIn
                ? "no user logs in: the flag \(name) needs a loginScene"
                : "no flag is named \(name)" + suggestion(for: name, among: known.sorted()))
    }

    /// Checks the flags that a tap sets.
    /// - Parameter keyPath: the place of the control.
    mutating func checkSets(_ sets: [String: Bool], at keyPath: String) {
        for name in sets.keys.sorted() {
            if name == Flags.loggedIn {
                report("\(keyPath).set", "nothing sets \(name): it is the state of the log-in")
            } else if draft.flags[name] == nil {
                report(
                    "\(keyPath).set",
                    "no flag is named \(name)"
                        + suggestion(for: name, among: draft.flags.keys.sorted()))
            }
        }
    }

    /// Checks that the identifier of a segue names no other segue that can hold at the same time.
    /// - Parameters:
    ///   - earlier: the conditions of the segues before this one that have its identifier.
    ///   - keyPath: the place of the segue.
    mutating func checkIdentifier(
        of segue: Segue, after earlier: [FlagCondition?], at keyPath: String
    ) {
        guard let other = earlier.first else { return }
        if earlier.count == 1, let when = segue.when, other?.isOpposite(of: when) == true { return }
        report(
            "\(keyPath).identifier",
            "the scene has two segues with the identifier \(segue.identifier), which is taken; "
                + "two can share it if they have opposite conditions in `when`")
    }
}
