import JSON

/// The result of one flow, which is a scripted test.
public struct FlowResult: Sendable {
    public enum Status: String, Sendable {
        case passed, failed, skipped
    }

    /// The result of one step of a flow (a scripted test).
    public struct StepResult: Sendable {
        public enum Status: String, Sendable {
            case passed, failed, skipped
        }

        public let step: Step
        public let status: Status
    }

    public let flow: Flow
    public let status: Status
    /// The reason why the flow was skipped; nil if the flow was not skipped.
    public let reason: String?
    public let steps: [StepResult]
    public let failure: Failure?
    /// The expectations that were not met, with the found values. The option `--update` writes
    /// these values into the flow file. All mismatches belong to one step, unless the run continues
    /// after a failure.
    public let mismatches: [Mismatch]
    public let seconds: Double
}

/// An expectation that was not met, and the value that was found instead.
public struct Mismatch: Sendable, Equatable {
    public let expectation: Expectation
    public let found: JSONValue
}

/// The failure of a step.
public struct Failure: Sendable {
    /// The index of the failed step in its flow.
    public let step: Int
    /// The reason for the failure, on one line.
    public let reason: String
    /// The expectations of the step that were not met.
    public let mismatches: [Mismatch]
    /// The visible screen, drawn as text; empty if the screen could not be drawn.
    public let screen: String
    /// The lines of a trace that fail alone in the same way; empty if all lines are needed, and for
    /// flows.
    public var fewestLines: [Int] = []

    /// The fewest lines as a sentence; nil if there are none.
    var hint: String? {
        guard let last = fewestLines.last else { return nil }
        let others = fewestLines.dropLast().map(String.init).joined(separator: ", ")
        return "the lines \(others) and \(last) alone fail in the same way"
    }
}
