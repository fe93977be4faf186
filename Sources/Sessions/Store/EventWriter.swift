import Navigation

/// Writes the bytes of an `EventLog`. The caller provides enough memory for all writes.
struct EventWriter {
    /// The maximum size of an encoded number, in bytes.
    static let largestNumber = 10

    /// The end of the written bytes.
    private(set) var end: UnsafeMutablePointer<UInt8>

    init(at start: UnsafeMutablePointer<UInt8>) { end = start }

    mutating func write(eventAt index: Int, of group: UnsafeBufferPointer<LifecycleEvent>) {
        let code = EventLog.Code(group[index], distance: Self.distance(of: index, in: group))
        write(code.byte)
        guard code.distance == 0 else { return }
        write(group[index].viewController.number)
        var scene = group[index].scene
        scene.withUTF8 { scene in
            write(scene.count)
            guard let start = scene.baseAddress else { return }
            end.update(from: start, count: scene.count)
            end += scene.count
        }
    }

    /// Returns the number of events back to the last one of the same view controller; 0 if there is
    /// none within `Code.maximumDistance`.
    private static func distance(
        of index: Int, in group: UnsafeBufferPointer<LifecycleEvent>
    ) -> UInt8 {
        var distance = 1
        while distance <= min(index, EventLog.Code.maximumDistance) {
            if group[index - distance].viewController == group[index].viewController {
                return UInt8(distance)
            }
            distance += 1
        }
        return 0
    }

    /// Writes a number as LEB128: seven bits to a byte, the low bits first, the high bit set in all
    /// bytes but the last.
    mutating func write(_ number: Int) {
        var rest = UInt(number)
        while rest > 0x7F {
            write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func write(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }
}
