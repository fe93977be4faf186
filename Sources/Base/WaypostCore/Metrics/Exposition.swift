/// Writes metrics in Prometheus's text format, version 0.0.4.
public struct Exposition {
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Returns the current values of all metrics as text.
    /// - Precondition: no two families have the same name.
    public static func text(of families: [Family]) -> String {
        precondition(Set(families.map(\.name)).count == families.count, "two metrics of one name")
        var exposition = Exposition()
        for family in families { exposition.family(family) }
        return exposition.text
    }

    private mutating func family(_ family: Family) {
        text += "# HELP \(family.name) \(Self.escaped(family.help))\n"
        text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
        family.write(&self)
    }

    mutating func sample(
        _ name: String, _ labels: [(name: String, value: String)], _ value: Int
    ) {
        line(name, labels, String(value))
    }

    mutating func sample(
        _ name: String, _ labels: [(name: String, value: String)], _ value: Double
    ) {
        line(name, labels, Self.number(value))
    }

    mutating func histogram(
        _ name: String, _ labels: [(name: String, value: String)], _ histogram: Histogram
    ) {
        let buckets = histogram.buckets
        // The counts are read once, so that the total equals the last bucket.
        let counts = histogram.cumulativeCounts
        for (bound, count) in zip(buckets.bounds, counts) {
            let bound = Self.number(Double(bound) / Double(buckets.divisor))
            line("\(name)_bucket", labels + [("le", bound)], String(count))
        }
        let count = String(counts.last ?? 0)
        line("\(name)_bucket", labels + [("le", "+Inf")], count)
        line("\(name)_sum", labels, Self.number(histogram.sum))
        line("\(name)_count", labels, count)
    }

    private mutating func line(
        _ name: String, _ labels: [(name: String, value: String)], _ value: String
    ) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// Returns a number in the syntax that Prometheus parses, which is that of Go. A whole number
    /// has no fraction.
    private static func number(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
