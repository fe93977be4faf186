/// The findings about the log-in.
extension StoryboardFindings {
    mutating func findInLogIn() {
        guard let loginScene = storyboard.loginScene else { return }
        let forms = SceneReach(from: loginScene, in: storyboard).names
        if !forms.contains(where: { storyboard.scenes[$0]?.submit == .logIn }) {
            let reason =
                "nobody can log in: no form with the `submit` log-in can be reached from here"
            if storyboard.isStrict {
                report("loginScene", reason)
            } else {
                warn("loginScene", reason)
            }
        }
        findTrapOfGuests()
    }
}
