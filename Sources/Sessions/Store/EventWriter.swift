import Navigation

/// Encodes lifecycle events as the bytes of an `EventLog`.
struct EventWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(64) }

    mutating func write(eventAt index: Int, of group: Span<LifecycleEvent>) {
        let code = EventLog.Code(group[index], distance: Self.distance(of: index, in: group))
        bytes.append(code.byte)
        guard code.distance == 0 else { return }
        write(group[index].viewController.number)
        let scene = group[index].scene.utf8
        write(scene.count)
        bytes += scene
    }

    /// Returns the number of events from the event at `index` back to the previous event of the
    /// same view controller.
    /// - Parameter group: the events of one revision.
    /// - Returns: 0 if the group has no such event, or if it is more than `Code.maximumDistance`
    ///   events back.
    private static func distance(of index: Int, in group: Span<LifecycleEvent>) -> UInt8 {
        let viewController = group[index].viewController
        let maximum = min(index, EventLog.Code.maximumDistance)
        let distance = stride(from: 1, through: maximum, by: 1).first {
            group[index - $0].viewController == viewController
        }
        return UInt8(distance ?? 0)
    }

    /// Writes a number as LEB128: seven bits to a byte, the low bits first, the high bit set in all
    /// bytes but the last.
    mutating func write(_ number: Int) {
        var rest = UInt(number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
