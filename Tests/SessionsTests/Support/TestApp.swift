import NavigationRules
import TestSupport

extension App {
    /// Makes an app with two scenes at the login root and three at the app root.
    /// - Parameter scene: a scene that the app does not have.
    static func withLogin(leavingOut scene: Scene.Name? = nil) throws -> App {
        try make(loginScene: "logIn", leavingOut: scene)
    }

    /// Makes an app without a login, which opens at the app root.
    static func withoutLogin() throws -> App {
        try make(loginScene: nil)
    }

    private static func make(
        loginScene: Scene.Name?, leavingOut scene: Scene.Name? = nil
    ) throws -> App {
        let draft = StoryboardDraft(
            name: "Test", loginScene: loginScene, initialScene: "home",
            scenes: [
                Scene(name: "logIn", kind: .form, access: .login),
                Scene(name: "signUp", kind: .form, access: .login),
                Scene(name: "home", kind: .blank),
                Scene(name: "detail", kind: .blank, paths: [try PathPattern("/detail")]),
                Scene(name: "settings", kind: .blank),
            ].filter { $0.name != scene })
        let dataSource = NoData()
        return App(
            storyboard: try Storyboard(draft, dataSource: dataSource), dataSource: dataSource)
    }
}

extension Operation {
    static func push(_ scene: Scene.Name) -> Operation {
        .push(.scene(scene, parameters: [:]))
    }
}
