import Navigation

// The bytes of an `EventLog` as a store keeps them. The bytes of consecutive changes can be joined
// and then decoded as one log.

extension EventLog {
    /// Encodes events. Their numbers (`seq`) must be consecutive.
    package static func encode(_ events: [LifecycleEvent]) -> [UInt8] {
        var log = EventLog()
        log.append(events, retention: .max)
        return log.bytes
    }

    /// Decodes events from the bytes in a store, which may be damaged.
    /// - Parameter first: the number (`seq`) of the first event, 0 or more.
    /// - Returns: nil if the bytes are damaged.
    package static func decode(_ bytes: [UInt8], first: Int) -> [LifecycleEvent]? {
        var scanner = Scanner(bytes: bytes[...])
        guard scanner.isSound(first: first) else { return nil }
        return EventLog(bytes: bytes, first: first).events(after: first - 1, limit: .max)
    }

    /// Checks that the bytes of encoded events are not damaged. The methods of `EventLog`, which
    /// make no checks, can then read the events.
    private struct Scanner {
        /// The largest number in a stored event. Arithmetic on such numbers cannot overflow.
        private static let limit = 1 << 56

        var bytes: ArraySlice<UInt8>

        mutating func isSound(first: Int) -> Bool {
            var number = first
            while !bytes.isEmpty {
                guard let count = readNumber(), count > 0, count <= bytes.count,
                    readNumber() != nil
                else { return false }
                for index in 0..<count {
                    guard isEventSound(at: index) else { return false }
                }
                number += count
                guard number <= Self.limit else { return false }
            }
            return true
        }

        private mutating func isEventSound(at index: Int) -> Bool {
            guard let code = bytes.popFirst().map(Code.init(byte:)), code.isKindKnown,
                code.distance <= index
            else { return false }
            guard code.distance == 0 else { return true }
            guard readNumber() != nil, let length = readNumber(), length <= bytes.count else {
                return false
            }
            let scene = bytes.prefix(length)
            bytes.removeFirst(length)
            return String(validating: scene, as: UTF8.self) != nil
        }

        private mutating func readNumber() -> Int? {
            var number = 0
            for shift in stride(from: 0, to: 63, by: 7) {
                guard let byte = bytes.popFirst() else { return nil }
                number |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return number <= Self.limit ? number : nil }
            }
            return nil
        }
    }
}
