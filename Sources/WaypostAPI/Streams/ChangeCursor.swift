/// A position in the changes of a session, such as `9c1f03ab.5.12`: a history, a revision and the
/// number of the last event. Clients send the text back unchanged.
struct ChangeCursor: Equatable, CustomStringConvertible {
    private static let numbers = 0...Int.interoperable.upperBound

    /// A number that tells apart equal revision numbers of different histories: of a store before
    /// and after its restore, of two storyboards or their data, of two versions of the program, or
    /// of two processes with a store in memory.
    let history: UInt32
    let revision: Int
    let lastEvent: Int

    init(history: UInt32, revision: Int, lastEvent: Int) {
        self.history = history
        self.revision = revision
        self.lastEvent = lastEvent
    }

    /// - Returns: nil if the text is not a cursor.
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

    var description: String {
        let digits = String(history, radix: 16)
        let zeros = String(repeating: "0", count: 8 - digits.utf8.count)
        return "\(zeros)\(digits).\(revision).\(lastEvent)"
    }
}
