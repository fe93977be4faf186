import Synchronization

/// An answer that is not there yet. One side brings it, the other says what is to be done with it, in
/// whatever order they come.
public final class PendingAnswer: Sendable {
    // Not generic: what the runtime has to look up for that costs as much as a transition.
    public typealias Value = Result<Response, Problem>

    private enum State {
        case empty
        case here(Value)
        case wanted(@Sendable (Value) -> Void)
        case over
    }

    private let state = Mutex(State.empty)

    public init() {}

    /// To be called once.
    public func bring(_ value: Value) {
        let action = state.withLock { state -> (@Sendable (Value) -> Void)? in
            guard case .wanted(let action) = state else {
                state = .here(value)
                return nil
            }
            state = .over
            return action
        }
        action?(value)
    }

    /// To be called once.
    /// - Parameter action: called at once if the value is here, else by who brings it.
    public func take(_ action: @escaping @Sendable (Value) -> Void) {
        let value = state.withLock { state -> Value? in
            guard case .here(let value) = state else {
                state = .wanted(action)
                return nil
            }
            state = .over
            return value
        }
        if let value { action(value) }
    }
}
