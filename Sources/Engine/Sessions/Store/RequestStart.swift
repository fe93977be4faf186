/// The time at which a request arrived that uses a shared store. The store derives the deadline of
/// its work from this time, so that a request with several steps still gets its response in time.
public enum RequestStart {
    /// The arrival of the present task's request; nil if the task belongs to no request, or if the
    /// store is not shared.
    @TaskLocal public static var current: ContinuousClock.Instant?
}
