/// A position in the stream of a session's changes, such as `9c1f03ab.5.12`: the history, the
/// revision and the number of the last event. A client sends the text back unchanged to continue
/// the stream at this position.
struct ChangeCursor: Equatable, CustomStringConvertible {
    private static let numbers = 0...Int.interoperable.upperBound

    /// A number that identifies the history to which the revision belongs. Equal revision numbers
    /// of different histories can stand for different states. The number changes when the store is
    /// restored from a backup, and when the storyboard, its data or the version of Waypost changes.
    /// For a store in memory, it also changes when the process restarts. Sessions that were created
    /// at different times have different numbers.
    let history: UInt32
    let revision: Int
    let lastEvent: Int

    init(history: UInt32, revision: Int, lastEvent: Int) {
        self.history = history
        self.revision = revision
        self.lastEvent = lastEvent
    }

    /// Parses a cursor.
    /// - Returns: nil if the text does not have exactly the form of `description`.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 8,
            let history = UInt32(parts[0], radix: 16),
            let revision = Int(parts[1]), let lastEvent = Int(parts[2]),
            Self.numbers.contains(revision), Self.numbers.contains(lastEvent)
        else { return nil }
        self.init(history: history, revision: revision, lastEvent: lastEvent)
        // Any other spelling of the position is not a cursor, such as one with capital letters.
        guard description == text else { return nil }
    }

    /// Returns whether changes can lead from this position to `present`, the position of the session.
    func canLead(to present: ChangeCursor) -> Bool {
        self == present
            || history == present.history && revision < present.revision
                && lastEvent <= present.lastEvent
    }

    var description: String {
        let digits = String(history, radix: 16)
        let zeros = String(repeating: "0", count: 8 - digits.utf8.count)
        return "\(zeros)\(digits).\(revision).\(lastEvent)"
    }
}
