import JSON

/// The result of one flow.
public struct FlowResult: Sendable {
    public enum Status: String, Sendable {
        case passed, failed, skipped
    }

    /// The result of one step.
    public struct StepResult: Sendable {
        public enum Status: String, Sendable {
            case passed, failed, skipped
        }

        public let step: Step
        public let status: Status
    }

    public let flow: Flow
    public let status: Status
    /// The reason why the flow was skipped; nil if it was not.
    public let reason: String?
    public let steps: [StepResult]
    public let failure: Failure?
    /// The expectations that were not met. `--update` writes the found values into the flow file.
    /// Unless the run goes on after a failure, all belong to one step.
    public let mismatches: [Mismatch]
    public let seconds: Double
}

/// A difference between what a step expects and what was found.
public struct Mismatch: Sendable, Equatable {
    public let expectation: Expectation
    public let found: JSONValue
}

/// The failure of a step.
public struct Failure: Sendable {
    /// The index of the step in its flow.
    public let step: Int
    /// The reason in one line.
    public let reason: String
    /// The expectations of the step that were not met.
    public let mismatches: [Mismatch]
    /// The visible screen, drawn as text.
    public let screen: String
}
