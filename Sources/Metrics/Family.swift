/// All series of one name.
public struct Family: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public let name: String
    let kind: Kind
    let help: String
    /// Writes what there is now.
    let write: @Sendable (inout Exposition) -> Void

    public static func counter(_ name: String, _ help: String, _ counter: Counter) -> Family {
        Family(name: name, kind: .counter, help: help) { $0.sample(name, [], counter.value) }
    }

    /// - Parameter counters: one for each value of the label.
    public static func counters(
        _ name: String, _ help: String, label: String, _ counters: [(value: String, Counter)]
    ) -> Family {
        Family(name: name, kind: .counter, help: help) { text in
            for (value, counter) in counters { text.sample(name, [(label, value)], counter.value) }
        }
    }

    public static func gauge(_ name: String, _ help: String, _ gauge: Gauge) -> Family {
        self.gauge(name, help) { gauge.value }
    }

    /// - Parameter value: read when it is asked for; nil if it is not known.
    public static func gauge(
        _ name: String, _ help: String, value: @escaping @Sendable () -> Int?
    ) -> Family {
        Family(name: name, kind: .gauge, help: help) { text in
            if let value = value() { text.sample(name, [], value) }
        }
    }

    /// A gauge that is always 1, and tells by its labels.
    public static func information(
        _ name: String, _ help: String, _ labels: [(name: String, value: String)]
    ) -> Family {
        Family(name: name, kind: .gauge, help: help) { $0.sample(name, labels, 1) }
    }

    public static func histogram(
        _ name: String, _ help: String, _ histogram: Histogram
    ) -> Family {
        histograms(name, help) { [([], histogram)] }
    }

    /// - Parameter series: those that there are now, with their labels.
    public static func histograms(
        _ name: String, _ help: String,
        series: @escaping @Sendable () -> [(labels: [(name: String, value: String)], Histogram)]
    ) -> Family {
        Family(name: name, kind: .histogram, help: help) { text in
            for (labels, histogram) in series() { text.histogram(name, labels, histogram) }
        }
    }
}
