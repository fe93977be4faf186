import CWorkers

/// Which processors a thread may run on. The threads that it starts inherit it.
struct Processors {
    private var set = cpu_set_t()

    /// Those of the calling thread; nil if the system does not tell: it has more than 1024.
    static var ofThisThread: Processors? {
        var processors = Processors()
        return waypost_get_processors(&processors.set) == 0 ? processors : nil
    }

    /// Counted from 0.
    var numbers: [Int] {
        withUnsafeBytes(of: set) { bytes in
            (0..<8 * bytes.count).filter { bytes[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        }
    }

    /// Each of them alone.
    var each: [Processors] {
        numbers.map { number in
            var one = Processors()
            withUnsafeMutableBytes(of: &one.set) { $0[number / 8] = 1 << UInt8(number % 8) }
            return one
        }
    }

    /// The calling thread runs on them from now on, unless the system has others in mind.
    func use() {
        withUnsafePointer(to: set) { _ = waypost_set_processors($0) }
    }
}
