import Foundation
import GRDB

/// Finds the rows of the table `event_group` that hold a session's lifecycle events. Such a row,
/// called a group, holds the events of one change. Each group names the session's previous group,
/// so the groups form a linked list that starts at the newest group.
///
/// Some groups also have a jump: a link to a much earlier group. Jumps have three widths: 64, 1,024
/// and 16,384 events. A group has a jump if it holds an event whose number is a multiple of a
/// width. If it holds multiples of several widths, the largest of these widths counts. The jump
/// leads to the group with the previous multiple of this width. A search through 10,000 events then
/// takes about 60 steps instead of thousands. Groups that an earlier version of Waypost wrote have
/// no jumps, and a search visits them one by one.
enum EventChain {
    /// The base-2 logarithms of the jump widths, which are 64, 1,024 and 16,384 events. A jump is a
    /// link from one event group to a much earlier one.
    private static let shifts = [6, 10, 14]
    static var levelCount: Int { shifts.count }

    /// Returns the level of the jump (a link to a much earlier event group) of a group with the
    /// events `first...last`. The level is the index of the largest jump width (64, 1,024 or 16,384
    /// events) that has a multiple in this range.
    /// - Returns: nil if the range contains no multiple of any width. The group then has no jump.
    static func level(first: Int, last: Int) -> Int? {
        shifts.lastIndex { (first &- 1) >> $0 != last >> $0 }
    }

    /// Returns the number of the event to which the jump of an event group leads. A jump is a link
    /// to a much earlier group. For the jump width w, it leads to the multiple of w before the
    /// group's last multiple of w.
    /// - Parameters:
    ///   - last: the number of the group's last event.
    ///   - level: the index of the jump width, which `level(first:last:)` returns.
    /// - Returns: 0 if there is no such event.
    static func target(last: Int, level: Int) -> Int {
        ((last >> shifts[level]) &- 1) << shifts[level]
    }

    /// Finds the event group (a row with the events of one change) that holds an event. The search
    /// starts at a later group and follows the links to earlier groups.
    /// - Parameters:
    ///   - seq: the number of the event.
    ///   - newest: the row number of the group at which the search starts. This group must hold the
    ///     event or a later one.
    ///   - session: the id of the session, 16 bytes.
    /// - Returns: the row number of the group that holds the event. If that group is no longer
    ///   stored, the row number of the oldest group that the search reaches. Nil if the session has
    ///   no group `newest`.
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

    /// Finds the event groups (rows with the events of one change) from the group that holds an
    /// event up to a later group.
    /// - Parameters:
    ///   - seq: the number of the event.
    ///   - newest: the row number of the later group, the last one to return.
    ///   - session: the id of the session, 16 bytes.
    /// - Returns: the row numbers of the groups, oldest first. If a group in between is missing,
    ///   the result holds only the groups after the missing one.
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

/// A cache of the event groups to which the next jumps of one session lead. A jump is a link to a
/// much earlier group (see `EventChain`). For each jump width, the cache holds the newest group
/// with an event whose number is a multiple of the width. The store has a cache only for recently
/// changed sessions.
struct EventAnchors {
    /// The row numbers of the cached groups, indexed by jump level (the index of the jump width); 0
    /// stands for an unknown group. The array is empty for most sessions, which have fewer events
    /// than the smallest jump width.
    private var numbers: [Int] = []

    /// The row number of the event group to which the next jump (link) of a level leads; nil if
    /// unknown.
    subscript(level: Int) -> Int? {
        numbers.isEmpty || numbers[level] == 0 ? nil : numbers[level]
    }

    /// Records a new event group as the target of the next jumps (links to a much earlier group).
    /// This applies to the jumps of the given level and of all lower levels, because a multiple of
    /// one jump width is also a multiple of each smaller width.
    /// - Parameters:
    ///   - number: the row number of the group.
    ///   - level: the index of the largest jump width that has a multiple among the group's event
    ///     numbers.
    mutating func note(_ number: Int, level: Int) {
        if numbers.isEmpty { numbers = Array(repeating: 0, count: EventChain.levelCount) }
        for narrower in 0...level { numbers[narrower] = number }
    }
}
