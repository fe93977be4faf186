import NavigationRules

extension TraceRun {
    /// The maximum number of runs in the search for the shortest trace. A run takes milliseconds.
    private static let maximumRuns = 200

    /// Leaves out steps before a failure, as long as its last step still fails for the same reason:
    /// first the half of them, then ever smaller parts.
    /// - Returns: the result with the lines that fail alone; the result itself
    ///   if no step can be left out.
    static func naming(
        shortestFailureOf result: FlowResult, _ trace: Trace, _ app: LocalApp
    ) async throws -> FlowResult {
        guard let failure = result.failure, failure.step > 1 else { return result }
        let (launch, last) = (trace.steps[0], trace.steps[failure.step])
        var kept = Array(trace.steps[1..<failure.step])
        var runs = 0
        var size = max(1, kept.count / 2)
        while true {
            var start = 0
            while start < kept.count, runs < maximumRuns {
                var fewer = kept
                fewer.removeSubrange(start..<min(start + size, kept.count))
                runs += 1
                var shorter = trace
                shorter.steps = [launch] + fewer + [last]
                let other = try await run(shorter, trace.lifecycle, app, nil).failure
                if other?.step == fewer.count + 1, other?.reason == failure.reason {
                    kept = fewer
                } else {
                    start += size
                }
            }
            guard size > 1, runs < maximumRuns else { break }
            size /= 2
        }
        guard kept.count < failure.step - 1 else { return result }
        var shorter = result
        shorter.failure?.fewestLines =
            [trace.place.line] + ([launch] + kept + [last]).map(\.place.line)
        return shorter
    }
}
