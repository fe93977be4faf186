import JSON
import NavigationRules
import WaypostCore

// The stored form of a session's summary, from which lists show the session without its window.

extension StoredWindow.Entry {
    /// Encodes the summary of a session's visible view controller.
    /// - Parameter revision: the revision of the session's window.
    package func encodedSummary(revision: Int) -> [UInt8] {
        JSONWriter.bytes(capacity: 128) { json in
            json.object { json in
                json.member("revision", revision)
                json.name("top")
                json.entry(self)
            }
        }
    }

    /// Decodes the summary of a session's visible view controller.
    /// - Parameters:
    ///   - bytes: the summary, as `encodedSummary` returns it.
    ///   - revision: the revision of the session's window.
    /// - Returns: nil if the summary is damaged or belongs to another revision.
    package init?(encodedSummary bytes: [UInt8], revision: Int) {
        guard let json = try? JSONValue(parsing: bytes, maximumDepth: 16),
            json["revision"]?.storedNumber == revision, let top = json["top"]
        else { return nil }
        self.init(top)
    }
}
