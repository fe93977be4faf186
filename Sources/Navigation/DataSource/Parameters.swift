/// The values that a view controller was made with, in the order of its scene's `parameters`; or that
/// a row hands on, in the order of the data source.
public struct Parameters: Sendable, Equatable {
    /// Shared with the scene, or the data source.
    public let names: [String]
    public let values: [String]

    public static let none = Parameters(names: [], values: [])

    /// - Precondition: as many values as names.
    public init(names: [String], values: [String]) {
        precondition(names.count == values.count)
        self.names = names
        self.values = values
    }

    var byName: [String: String] {
        Dictionary(zip(names, values)) { $1 }
    }

    public subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(names: elements.map(\.0), values: elements.map(\.1))
    }
}
