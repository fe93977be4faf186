import NavigationRules

/// An empty data source, for apps whose scenes show no data.
public struct NoData: DataSource {
    public init() {}

    public var rowBindings: [String: RowBinding] { [:] }
    public var imageBindings: [String: ImageBinding] { [:] }
    public func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { nil }
    public func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? { nil }
    public func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    public func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}

extension DataSource {
    /// Reads all rows, which suits data sources with few rows.
    public func indices(
        ofRowsTitled title: String, in binding: String, _ parameters: Parameters
    ) -> [Int] {
        (0..<(numberOfRows(in: binding, parameters) ?? 0)).filter {
            row($0, of: binding, parameters)?.title == title
        }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(names: elements.map(\.0), values: elements.map(\.1))
    }
}
