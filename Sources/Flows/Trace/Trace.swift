import Navigation

/// A record of the actions and screens of a real app, step by step.
public struct Trace: Sendable {
    /// One thing that happened in the app.
    struct Step: Sendable {
        /// The action of the user or of the app's code; nil if nobody recorded it.
        let action: Flows.Step.Action?
        /// The callbacks, as `viewDidLoad books`, in their order.
        let callbacks: [String]
        /// The screen after the action: the stack, and what else the app recorded.
        let shown: [Expectation]
        let text: String
        let place: Place
    }

    /// The app's name.
    public let name: String
    public let lifecycle: LifecycleOrder
    /// The user who was logged in at the launch; nil if nobody was.
    let username: String?
    /// The names of the callbacks that the app records. Other callbacks are not compared.
    let callbacks: Set<String>
    let steps: [Step]
    let place: Place

    /// The members that a step can have beside `did` and `callbacks`.
    static let shownNames = [
        "stack", "title", "back", "root", "tab", "segment", "layers", "bottomBar", "rows",
    ]
}
