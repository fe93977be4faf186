import Metrics

extension API {
    /// How the service is operated.
    public struct Configuration: Sendable {
        /// Metrics of what is below the service: the store, the server, the passwords.
        public var metrics: [Family] = []

        public init() {}
    }
}
