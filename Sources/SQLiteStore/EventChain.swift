import Foundation
import GRDB

/// The links between the groups of events of one session: each names the one before it, and some also
/// one far before it.
///
/// A group that holds an event whose number is a multiple of one of the `widths` names the latest
/// group before it that holds such a multiple, of the widest width that fits. A log of 10,000 events
/// is then searched in some 60 steps from its newest group, and not in thousands. Groups that an
/// earlier version wrote have no jumps: the search goes from one to the next there.
enum EventChain {
    /// The widths of the jumps as powers of two: 64, 1,024 and 16,384 events.
    private static let shifts = [6, 10, 14]
    static var levelCount: Int { shifts.count }

    /// - Returns: which of the widths has a multiple in these numbers, the widest; nil if none has.
    static func level(first: Int, last: Int) -> Int? {
        shifts.lastIndex { (first &- 1) >> $0 != last >> $0 }
    }

    /// The number of the event that the jump of a group leads to.
    /// - Parameters:
    ///   - last: the number of the group's last event.
    ///   - level: the group's.
    static func target(last: Int, level: Int) -> Int {
        ((last >> shifts[level]) &- 1) << shifts[level]
    }

    /// Finds the group that holds an event.
    /// - Parameters:
    ///   - seq: the number of the event.
    ///   - newest: the number of a group of the session that holds it or a later one.
    /// - Returns: the number of the group; of the oldest that can be reached, if its events are later
    ///   ones; nil if there is no group of the number `newest`.
    static func group(
        holding seq: Int, from newest: Int, of session: Data, _ db: Database
    ) throws -> Int? {
        // A damaged link cannot lead in circles: the numbers of the events fall with each step.
        let statement = try db.cachedStatement(
            sql: """
                WITH RECURSIVE chain (number, previous, jump, first) AS (
                  SELECT number, previous, jump, first FROM event_group
                  WHERE number = :newest AND session = :session
                  UNION ALL
                  SELECT older.number, older.previous, older.jump, older.first
                  FROM chain JOIN event_group AS older ON older.number = coalesce(
                    (SELECT number FROM event_group
                     WHERE number = chain.jump AND session = :session AND last >= :seq
                       AND last < chain.first AND first <= last),
                    chain.previous)
                  WHERE older.session = :session AND older.last >= :seq
                    AND older.last < chain.first AND older.first <= older.last
                )
                SELECT number FROM chain ORDER BY first LIMIT 1
                """)
        return try Int.fetchOne(
            statement, arguments: ["newest": newest, "session": session, "seq": seq])
    }

    /// - Parameters:
    ///   - seq: the number of the oldest event that is wanted.
    ///   - newest: the number of the newest group that is wanted.
    /// - Returns: the numbers of the groups that hold these events, oldest first. They end at a gap.
    static func groups(
        back seq: Int, from newest: Int, of session: Data, _ db: Database
    ) throws -> [Int] {
        let statement = try db.cachedStatement(
            sql: """
                WITH RECURSIVE chain (number, previous, first) AS (
                  SELECT number, previous, first FROM event_group
                  WHERE number = :newest AND session = :session
                  UNION ALL
                  SELECT older.number, older.previous, older.first
                  FROM chain JOIN event_group AS older ON older.number = chain.previous
                  WHERE older.session = :session AND older.last = chain.first - 1
                    AND older.first <= older.last AND older.last >= :seq
                )
                SELECT number FROM chain ORDER BY first
                """)
        return try Int.fetchAll(
            statement, arguments: ["newest": newest, "session": session, "seq": seq])
    }
}

/// The newest groups of a session that hold a multiple of each width: the jumps of the next ones lead
/// there. Those of a session that was not changed lately are not known.
struct EventAnchors {
    /// The groups by level; 0 stands for an unknown one. The array is empty for most sessions: they
    /// never have as many events as a jump is wide.
    private var numbers: [Int] = []

    /// The group that the next jump of this level leads to; nil if it is not known.
    subscript(level: Int) -> Int? {
        numbers.isEmpty || numbers[level] == 0 ? nil : numbers[level]
    }

    /// Notes the group that was just written: it holds multiples of all narrower widths, too.
    mutating func note(_ number: Int, level: Int) {
        if numbers.isEmpty { numbers = Array(repeating: 0, count: EventChain.levelCount) }
        for narrower in 0...level { numbers[narrower] = number }
    }
}
