import HTTPCore
import Logs
import Metrics

extension API {
    /// How the service is operated.
    public struct Configuration: Sendable {
        /// Metrics of what is below the service: the store, the server, the passwords.
        public var metrics: [Family] = []
        /// The web pages that may use the service.
        public var crossOrigin = CrossOriginPolicy()
        public var readiness = Readiness()
        /// The program's: sessions have other entity tags in each.
        public var version = ""
        /// Where errors are told, and requests, if they are.
        public var log: Log?
        public var isAccessLogged = false
        /// By chance: what the names of the requests begin with.
        public var seed: UInt64 = 0

        public init() {}
    }
}
