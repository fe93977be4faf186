/// The result of a check of a whole store.
public struct StoreReport: Sendable, Equatable {
    public let sessions: Int
    public let accounts: Int
    /// Descriptions of the defects; empty if there are none.
    public let defects: [String]

    package init(sessions: Int, accounts: Int, defects: [String]) {
        self.sessions = sessions
        self.accounts = accounts
        self.defects = defects
    }

    /// The defects that a check has found so far.
    package struct Defects {
        /// The maximum number of defects that are described. Further defects are only counted.
        private static let maximum = 1000

        private var described: [String] = []
        private var others = 0

        package init() {}

        package mutating func append(_ defect: String) {
            if described.count < Self.maximum { described.append(defect) } else { others += 1 }
        }

        /// The descriptions. If there are more defects than `maximum`, the last text gives the
        /// number of the others.
        package var texts: [String] {
            others == 0 ? described : described + ["and \(others) more"]
        }
    }
}
