import Navigation
import SessionStoreTesting
import TestSupport
import Testing

@testable import Sessions

/// Tests of the bytes in which a store keeps events.
struct StoredEventLogTests {
    private let changes = [
        Sample.events(1...3), Sample.events(4...4, revision: 2),
        Sample.events(5...200, revision: 9),
    ]

    @Test("The bytes of consecutive changes, joined, are the events of all")
    func joined() {
        let bytes = changes.flatMap { EventLog.encode($0) }
        #expect(EventLog.decode(bytes, first: 1) == changes.flatMap(\.self))
        #expect(EventLog.encode([]) == [])
        #expect(EventLog.decode([], first: 1) == [])
    }

    @Test("Bytes that end early are refused, or are the events of the changes before")
    func truncated() {
        let bytes = changes.flatMap { EventLog.encode($0) }
        let prefixes = [[], changes[0], changes[0] + changes[1]]
        for count in 0..<bytes.count {
            let events = EventLog.decode(Array(bytes.prefix(count)), first: 1)
            #expect(events.map { prefixes.contains($0) } ?? true)
        }
    }

    @Test("Bytes with any error are decoded to something or refused, and end no process")
    func damaged() {
        var generator = SeededGenerator(seed: 20_261_123)
        let bytes = changes.flatMap { EventLog.encode($0) }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] = .random(in: 0...255, using: &generator)
            _ = EventLog.decode(damaged, first: 1)
        }
        for _ in 0..<20_000 {
            let noise = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if let events = EventLog.decode(noise, first: 1) {
                #expect(events.map(\.seq) == Array(1..<1 + events.count))
            }
        }
    }
}
