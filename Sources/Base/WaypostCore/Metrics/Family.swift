/// A metric family, which consists of all time series with the same metric name.
public struct Family: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public let name: String
    let kind: Kind
    let help: String
    /// Writes the current values of all series to the exposition.
    let write: @Sendable (inout Exposition) -> Void

    public static func counter(_ name: String, _ help: String, _ counter: Counter) -> Family {
        Family(name: name, kind: .counter, help: help) { $0.sample(name, [], counter.value) }
    }

    /// Makes a family of one counter whose value another component keeps.
    /// - Parameter value: returns the current value, or nil if the value is unknown; the family
    ///   then has no sample.
    public static func counter(
        _ name: String, _ help: String, value: @escaping @Sendable () -> Double?
    ) -> Family {
        Family(name: name, kind: .counter, help: help) { text in
            if let value = value() { text.sample(name, [], value) }
        }
    }

    /// Makes a family of counters that differ in one label.
    /// - Parameter counters: the counters, each with its value of the label.
    public static func counters(
        _ name: String, _ help: String, label: String, _ counters: [(value: String, Counter)]
    ) -> Family {
        Family(name: name, kind: .counter, help: help) { text in
            for (value, counter) in counters { text.sample(name, [(label, value)], counter.value) }
        }
    }

    /// Makes a family of counters that differ in two or more labels.
    /// - Parameter series: returns the current counts with their labels.
    public static func counters(
        _ name: String, _ help: String,
        series: @escaping @Sendable () -> [(labels: [(name: String, value: String)], count: Int)]
    ) -> Family {
        Family(name: name, kind: .counter, help: help) { text in
            for (labels, count) in series() { text.sample(name, labels, count) }
        }
    }

    public static func gauge(_ name: String, _ help: String, _ gauge: Gauge) -> Family {
        self.gauge(name, help) { gauge.value }
    }

    /// Makes a family of one gauge whose value another component keeps.
    /// - Parameter value: returns the current value, or nil if the value is unknown; the family
    ///   then has no sample.
    public static func gauge(
        _ name: String, _ help: String, value: @escaping @Sendable () -> Int?
    ) -> Family {
        Family(name: name, kind: .gauge, help: help) { text in
            if let value = value() { text.sample(name, [], value) }
        }
    }

    /// Makes an information metric, such as a program's version: a gauge that is always 1 and whose
    /// labels hold the information.
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

    /// Makes a family of histograms that differ in their labels.
    /// - Parameter series: returns the current histograms with their labels.
    public static func histograms(
        _ name: String, _ help: String,
        series: @escaping @Sendable () -> [(labels: [(name: String, value: String)], Histogram)]
    ) -> Family {
        Family(name: name, kind: .histogram, help: help) { text in
            for (labels, histogram) in series() { text.histogram(name, labels, histogram) }
        }
    }
}
