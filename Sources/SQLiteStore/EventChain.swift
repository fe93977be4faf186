import Foundation
import GRDB

/// The links between the event groups of one session. Each group names the previous group, and some
/// groups also name an earlier one (a jump).
///
/// A group has a jump if the number of one of its events is a multiple of a width. The jump names the
/// latest earlier group that holds a multiple of the largest such width. A search of 10,000 events
/// then takes about 60 steps from the newest group instead of thousands. Groups that an
/// earlier version of Waypost wrote have no jumps, and a search goes through them one by one.
enum EventChain {
    /// The widths of the jumps as powers of two: 64, 1,024 and 16,384 events.
    private static let shifts = [6, 10, 14]
    static var levelCount: Int { shifts.count }

    /// Returns the index of the largest width with a multiple in `first...last`.
    /// - Returns: nil if the range contains no multiple of any width.
    static func level(first: Int, last: Int) -> Int? {
        shifts.lastIndex { (first &- 1) >> $0 != last >> $0 }
    }

    /// Returns the number of the event that a group's jump leads to.
    /// - Parameters:
    ///   - last: the number of the group's last event.
    ///   - level: the level of the group, as `level(first:last:)` returns it.
    static func target(last: Int, level: Int) -> Int {
        ((last >> shifts[level]) &- 1) << shifts[level]
    }

    /// Finds the group that holds an event.
    /// - Parameters:
    ///   - seq: the number of the event.
    ///   - newest: the number of a group of the session that holds this event or a later one.
    /// - Returns: the number of the group. If that group is no longer stored, the number of the
    ///   oldest group that the links lead to. Nil if there is no group `newest`.
    static func group(
        holding seq: Int, from newest: Int, of session: Data, _ db: Database
    ) throws -> Int? {
        // The event numbers decrease with each step, so a damaged link cannot make an endless loop.
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

    /// Finds the groups from an event to a later group.
    /// - Parameters:
    ///   - seq: the number of the oldest event to return.
    ///   - newest: the number of the newest group to return.
    /// - Returns: the numbers of the groups, oldest first. If a group in between is missing, only
    ///   the groups after it.
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

/// The groups of one session that the jumps of its next groups lead to: for each width, the newest
/// group with an event whose number is a multiple of the width. The store knows them only for
/// recently changed sessions.
struct EventAnchors {
    /// The groups by level; 0 stands for an unknown group. The array is empty for most sessions, which
    /// have fewer events than the smallest width.
    private var numbers: [Int] = []

    /// The group that the next jump of a level leads to; nil if unknown.
    subscript(level: Int) -> Int? {
        numbers.isEmpty || numbers[level] == 0 ? nil : numbers[level]
    }

    /// Records a new group. The group also holds multiples of all smaller widths.
    mutating func note(_ number: Int, level: Int) {
        if numbers.isEmpty { numbers = Array(repeating: 0, count: EventChain.levelCount) }
        for narrower in 0...level { numbers[narrower] = number }
    }
}
