/// Reads the exposition format of Prometheus, version 0.0.4, strictly: what is here is what
/// Prometheus takes, and what its own linter asks for.
public struct PrometheusText: Sendable {
    public struct Sample: Sendable, Equatable {
        public let name: String
        public let labels: [String: String]
        public let value: Double
    }

    public struct Family: Sendable {
        public let name: String
        public let kind: String
        public let help: String
        public fileprivate(set) var samples: [Sample] = []
    }

    public struct Defect: Error, CustomStringConvertible {
        public let description: String
    }

    public private(set) var families: [Family] = []

    public init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else {
            throw Defect(description: "the last line does not end")
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()[...]
        while let line = lines.popFirst() {
            if line.hasPrefix("# HELP ") {
                try begin(help: line, type: lines.popFirst() ?? "")
            } else {
                try add(try Self.sample(line), line)
            }
        }
        for family in families where family.kind == "histogram" { try Self.check(family) }
    }

    public func family(_ name: String) -> Family? { families.first { $0.name == name } }

    /// The value of the only series with these labels.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = families.flatMap(\.samples).filter { $0.name == name && $0.labels == labels }
        return found.count == 1 ? found[0].value : nil
    }

    private mutating func begin(help: Substring, type: Substring) throws {
        let help = help.split(separator: " ", maxSplits: 3).map(String.init)
        let type = type.split(separator: " ").map(String.init)
        guard help.count == 4, type.count == 4, type[0] == "#", type[1] == "TYPE",
            type[2] == help[2], ["counter", "gauge", "histogram"].contains(type[3]),
            type[2].wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil
        else { throw Defect(description: "\(help) \(type)") }
        guard family(type[2]) == nil else { throw Defect(description: "\(type[2]) comes twice") }
        guard (type[3] == "counter") == type[2].hasSuffix("_total") else {
            throw Defect(description: "\(type[2]): counters alone end with _total")
        }
        families.append(Family(name: type[2], kind: type[3], help: help[3]))
    }

    private mutating func add(_ sample: Sample, _ line: Substring) throws {
        guard let family = families.last else { throw Defect(description: "no TYPE: \(line)") }
        let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == sample.name }) else {
            throw Defect(description: "among \(family.name): \(line)")
        }
        let isThere = family.samples.contains {
            $0.name == sample.name && $0.labels == sample.labels
        }
        guard !isThere else { throw Defect(description: "twice: \(line)") }
        families[families.count - 1].samples.append(sample)
    }

    private static func sample(_ line: Substring) throws -> Sample {
        let form = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
        guard let match = line.wholeMatch(of: form), let value = number(match.3) else {
            throw Defect(description: "not a sample: \(line)")
        }
        var labels: [String: String] = [:]
        var rest = match.2 ?? ""
        while !rest.isEmpty {
            let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/
            guard let found = rest.prefixMatch(of: label), labels[String(found.1)] == nil else {
                throw Defect(description: "labels: \(line)")
            }
            labels[String(found.1)] = String(found.2)
            rest = rest[found.range.upperBound...]
        }
        return Sample(name: String(match.1), labels: labels, value: value)
    }

    private static func number(_ text: Substring) -> Double? {
        text == "+Inf" ? .infinity : Double(text)
    }

    /// Each series has rising bounds and counts up to `+Inf`, whose count is that of all.
    private static func check(_ family: Family) throws {
        let series = Dictionary(grouping: family.samples) { sample in
            sample.labels.filter { $0.key != "le" }
        }
        for (labels, samples) in series {
            let buckets = samples.filter { $0.name == family.name + "_bucket" }
            let bounds = buckets.compactMap { $0.labels["le"].flatMap { number($0[...]) } }
            let counts = buckets.map(\.value)
            let count = samples.filter { $0.name == family.name + "_count" }.map(\.value)
            let sums = samples.filter { $0.name == family.name + "_sum" }
            guard bounds.count == buckets.count, bounds.last == .infinity,
                zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
                zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }),
                count == counts.suffix(1), sums.count == 1
            else { throw Defect(description: "\(family.name) \(labels)") }
        }
    }
}
