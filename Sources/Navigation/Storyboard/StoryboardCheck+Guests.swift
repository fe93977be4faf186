/// The checks of `access`: who may see the scenes with which an app starts, and the scenes to which
/// other scenes lead.
extension StoryboardCheck {
    /// The place of a scene with which a session, a tab or a segment starts.
    enum Start {
        case login
        case app
        /// The scene that the app shows at its start.
        case firstOfApp
    }

    /// Checks that a scene which the app shows without a segue has the right `access` for its place.
    /// - Parameter index: the index of the scene in its container.
    mutating func checkAccess(
        of scene: Scene, _ index: Int, in start: Start, at keyPath: String
    ) {
        guard draft.hasGuests else {
            // A scene for everyone has its own defect.
            let expected: Scene.Access = start == .login ? .login : .members
            if scene.access != expected, scene.access != .everyone {
                report(
                    keyPath, "\(scene.name) does not have the access \(expected.rawValue)")
            }
            return
        }
        switch start {
        case .login where index == 0 && scene.access != .login:
            report(keyPath, "\(scene.name) does not have the access login")
        case .firstOfApp where index == 0 && scene.access != .everyone:
            report(
                keyPath,
                "\(scene.name) is the first that a guest sees: give it the access everyone")
        case .app where scene.access == .login, .firstOfApp where scene.access == .login:
            report(keyPath, "\(scene.name) is a log-in scene, which members never see")
        case .login, .app, .firstOfApp: break
        }
    }

    /// Checks the contents of a container. Without guests, all of them belong to the same root.
    mutating func checkAccess(inContainer scene: Scene, at keyPath: String) {
        guard !draft.hasGuests else { return }
        let areLogin = Set(contents(of: scene).map { $0.access == .login })
        if areLogin.count > 1 {
            report(keyPath, "its contents belong to both roots (their access differs)")
        }
    }

    /// Checks that a scene may lead to another one. Without guests, the two belong to the same root.
    mutating func checkWay(from scene: Scene, to other: Scene, at keyPath: String) {
        if draft.hasGuests {
            checkGuestWay(from: scene, to: [other], other.name, at: keyPath)
        } else if (scene.access == .login) != (other.access == .login) {
            report(keyPath, "\(other.name) belongs to the other root (its access differs)")
        }
    }

    /// Checks the target of a segue in an app with guests.
    /// - Parameter contents: the scenes in the target.
    mutating func checkGuestWay(
        from scene: Scene, to contents: [Scene], _ target: Scene.Name, at keyPath: String
    ) {
        guard draft.hasGuests else { return }
        switch scene.access {
        case .login where contents.first?.access == .members:
            report(
                keyPath,
                "\(target) is for members: a guest who logs in would be asked to log in, and the "
                    + "action is lost with \(scene.name)")
        case .members where contents.contains { $0.access == .login }:
            report(keyPath, "\(target) is for logging in, and is refused to members")
        case .login, .members, .everyone: break
        }
    }
}
