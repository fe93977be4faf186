import NavigationRules

/// A recording of a real app: its actions, lifecycle callbacks and screens, step by step.
package struct Trace: Sendable {
    /// One step of the recording: an action, the callbacks that it caused, and the screen
    /// afterwards.
    struct Step: Sendable {
        /// The action of the user or of the app's code; nil if the action was not recorded.
        let action: Flows.Step.Action?
        /// The lifecycle callbacks in the order of their calls, each with its scene, as in
        /// `viewDidLoad books`.
        let callbacks: [String]
        /// The recorded values of the screen after the action, such as the stack and the title.
        let shown: [Expectation]
        let text: String
        let place: Place
    }

    /// The name of the recorded app.
    package let name: String
    /// The version of iOS that ran the app; nil for the version of the storyboard.
    let uikit: UIKitVersion?
    package let lifecycle: LifecycleOrder
    /// The user who was logged in when the app was launched; nil if no user was logged in.
    let username: String?
    /// The flags of the app whose values at its launch differ from the storyboard's.
    let flags: [String: Bool]
    /// The names of the lifecycle callbacks that the app records, such as `viewDidLoad`. Other
    /// callbacks are not compared.
    let callbacks: Set<String>
    var steps: [Step]
    let place: Place

    /// The JSON members of a step that describe the screen. The other members of a step are `did`
    /// and `callbacks`.
    static let shownNames = [
        "stack", "title", "back", "root", "tab", "segment", "layers", "bottomBar", "rows",
    ]
}
