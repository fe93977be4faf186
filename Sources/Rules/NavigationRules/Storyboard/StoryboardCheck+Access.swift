/// The checks of who can see which scene: guests, members, and users at the log-in.
extension StoryboardCheck {
    /// What shows a scene at the start.
    enum Start { case logIn, app, appToGuests }

    /// Checks that a scene with which a session or a segment starts can be shown then.
    /// - Parameter contents: the scene itself or, if it is a container, the scenes in it.
    mutating func checkAccess(of contents: [Scene], at start: Start, _ keyPath: String) {
        if start == .appToGuests, draft.loginScene != nil, let first = contents.first,
            first.access == .members
        {
            report(
                keyPath,
                "guests see \(first.name) first, and it is a members' scene: give it the access "
                    + "everyone, or begin with another scene")
        }
        guard draft.hasGuests else {
            let access: Scene.Access = start == .logIn ? .login : .members
            for scene in contents where scene.access != access && scene.access != .everyone {
                report(keyPath, "\(scene.name) does not have the access \(access.rawValue)")
            }
            return
        }
        if start == .logIn {
            guard let first = contents.first, first.access != .login else { return }
            report(keyPath, "\(first.name) does not have the access login")
        } else {
            for scene in contents where scene.access == .login {
                report(
                    keyPath,
                    "\(scene.name) is a log-in scene: guests are shown the loginScene when they "
                        + "are asked to log in")
            }
        }
    }

    /// Checks the access of a scene. In an app without guests, the contents of a container must all
    /// belong to the log-in root, or all to the app root.
    mutating func checkAccess(_ scene: Scene, at keyPath: String) {
        guard !draft.hasGuests else { return }
        if scene.access == .everyone, !scene.kind.isContainer {
            report(
                "\(keyPath).access",
                "only an app with `guests` has scenes for everyone: the scene would belong to no "
                    + "root")
        }
        guard scene.kind.isContainer else { return }
        let accesses = Set(contents(of: scene).map(\.access)).subtracting([.everyone])
        if accesses.count > 1 {
            report(keyPath, "its contents belong to both roots (their access differs)")
        }
    }

    /// Checks that a scene can show another one that belongs on its stack: the scene of a selected
    /// row, or its parent in links.
    mutating func checkSameRoot(_ scene: Scene, _ other: Scene, at keyPath: String) {
        guard !draft.hasGuests else { return checkWay(from: scene, to: other, at: keyPath) }
        guard other.isInOtherRoot(than: scene) else { return }
        report(keyPath, "\(other.name) belongs to the other root (its access differs)")
    }

    /// Checks, in an app with guests, that a user can go from a scene to another one. Members see
    /// no log-in scene, and a guest who logs in at a log-in scene leaves it.
    mutating func checkWay(from source: Scene, to target: Scene, at keyPath: String) {
        guard draft.hasGuests else { return }
        let contents = contents(of: target)
        if source.access == .members, let login = contents.first(where: { $0.access == .login }) {
            report(
                keyPath,
                "always refused: \(login.name) is a log-in scene, and the user of the members' "
                    + "scene \(source.name) is logged in")
        } else if source.access == .login, let first = contents.first, first.access == .members {
            report(
                keyPath,
                "always lost: \(first.name) is a members' scene, and a guest who logs in leaves "
                    + "the log-in scene \(source.name)")
        }
    }
}

extension Scene {
    /// Returns whether one of two scenes belongs to the log-in root of an app without guests, and the
    /// other one to the app root.
    func isInOtherRoot(than other: Scene) -> Bool {
        Set([access, other.access]) == [.login, .members]
    }
}
