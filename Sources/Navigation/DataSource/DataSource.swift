/// The source of tables' rows and of images: UIKit's `UITableViewDataSource`, shared by all scenes
/// of an app and addressed by name (`author.books`). Its data never changes.
public protocol DataSource: Sendable {
    var rowBindings: [String: RowBinding] { get }
    var imageBindings: [String: ImageBinding] { get }

    /// - Returns: nil if `parameters` name nothing that there is.
    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int?

    /// - Returns: nil if there is no such row.
    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row?

    /// - Returns: nil if there is no picture.
    func image(_ binding: String, _ parameters: Parameters) -> ImageReference?

    /// The name for people of what a parameter stands for; nil if the source does not know it.
    func displayName(of parameter: String, in parameters: Parameters) -> String?
}

extension DataSource {
    /// The first of `names` that stands for nothing: an author's id that no author has.
    func firstDangling(_ names: [String], in parameters: Parameters) -> String? {
        names.first { displayName(of: $0, in: parameters) == nil }
    }
}

/// The rows that a table can be bound to.
public struct RowBinding: Sendable, Equatable {
    /// The parameters that say which rows are meant.
    public let requires: [String]
    /// The parameters that each row hands to the scene that it selects.
    public let provides: [String]

    public init(requires: [String], provides: [String]) {
        self.requires = requires
        self.provides = provides
    }
}

/// The picture that an image can be bound to.
public struct ImageBinding: Sendable, Equatable {
    /// The parameters that say which picture is meant.
    public let requires: [String]

    public init(requires: [String]) {
        self.requires = requires
    }
}

public struct Row: Sendable, Equatable {
    public let title: String
    public let subtitle: String?
    /// The parameters that the row hands to the scene that it selects.
    public let parameters: Parameters

    public init(title: String, subtitle: String?, parameters: Parameters) {
        self.title = title
        self.subtitle = subtitle
        self.parameters = parameters
    }
}

public struct ImageReference: Sendable, Equatable {
    /// The image's place below the catalog, as path components, not escaped.
    public let components: [String]
    public let mediaType: String

    public init(components: [String], mediaType: String) {
        self.components = components
        self.mediaType = mediaType
    }
}

/// The source of an app whose scenes show no data.
public struct NoData: DataSource {
    public init() {}

    public var rowBindings: [String: RowBinding] { [:] }
    public var imageBindings: [String: ImageBinding] { [:] }
    public func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { nil }
    public func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? { nil }
    public func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    public func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}

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
