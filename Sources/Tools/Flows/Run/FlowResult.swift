import JSON

/// The result of one flow, which is a scripted test.
package struct FlowResult: Sendable {
    /// The status of a flow, and of each of its steps.
    package enum Status: String, Sendable {
        case passed, failed, skipped
    }

    /// The result of one step of a flow (a scripted test).
    package struct StepResult: Sendable {
        package let step: Step
        package let status: Status
    }

    package let flow: Flow
    /// The reason why the flow was skipped; nil if the flow was not skipped.
    package var reason: String?
    package let steps: [StepResult]
    package var failure: Failure?
    /// The expectations that were not met, with the found values. The option `--update` writes
    /// these values into the flow file. All mismatches belong to one step, unless the run continues
    /// after a failure.
    package var mismatches: [Mismatch] = []
    package var seconds = 0.0

    package var status: Status {
        failure != nil ? .failed : reason != nil ? .skipped : .passed
    }

    /// Returns the result of a flow none of whose steps ran.
    /// - Parameters:
    ///   - reason: the reason why the flow was skipped.
    ///   - failure: the reason why the flow could not start.
    static func unstarted(
        _ flow: Flow, skipped reason: String? = nil, failure: Failure? = nil
    ) -> FlowResult {
        FlowResult(
            flow: flow, reason: reason,
            steps: flow.steps.map { StepResult(step: $0, status: .skipped) }, failure: failure)
    }
}

/// An expectation that was not met, and the value that was found instead.
package struct Mismatch: Sendable, Equatable {
    package let expectation: Expectation
    package let found: JSONValue
}

/// The failure of a step.
package struct Failure: Sendable {
    /// The index of the failed step in its flow.
    package let step: Int
    /// The reason for the failure, on one line.
    package var reason: String
    /// The expectations of the step that were not met.
    package var mismatches: [Mismatch] = []
    /// The visible screen, drawn as text; empty if the screen could not be drawn.
    package var screen = ""
    /// The lines of a trace that fail alone in the same way; empty if all lines are needed, and for
    /// flows.
    package var fewestLines: [Int] = []

    /// The fewest lines as a sentence; nil if there are none.
    var hint: String? {
        guard let last = fewestLines.last else { return nil }
        let others = fewestLines.dropLast().map(String.init).joined(separator: ", ")
        return "the lines \(others) and \(last) alone fail in the same way"
    }
}
