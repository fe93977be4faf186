/// The source of table rows and images, shared by all scenes of an app. A binding is the name of a
/// list of rows or of an image, such as `author.books`. The data never changes. Corresponds to
/// UIKit's `UITableViewDataSource`.
public protocol DataSource: Sendable {
    var rowBindings: [String: RowBinding] { get }
    var imageBindings: [String: ImageBinding] { get }

    /// Returns the number of rows of a binding; nil if `parameters` identify no existing data.
    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int?

    /// Returns a row of a binding; nil if the row does not exist.
    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row?

    /// Returns the image of a binding; nil if there is none.
    func image(_ binding: String, _ parameters: Parameters) -> ImageReference?

    /// Returns the human-readable name of the data that a parameter identifies, such as an author's
    /// name; nil if the source has no such data.
    func displayName(of parameter: String, in parameters: Parameters) -> String?
}

extension DataSource {
    /// Returns the first of the parameters `names` whose value identifies no data, such as an id
    /// that no author has; nil if there is none.
    func firstDangling(_ names: [String], in parameters: Parameters) -> String? {
        names.first { displayName(of: $0, in: parameters) == nil }
    }
}

/// A list of rows to which a table can be bound.
public struct RowBinding: Sendable, Equatable {
    /// The names of the parameters whose values determine the rows.
    public let requires: [String]
    /// The names of the parameters that each row passes to the scene that is shown when the row is
    /// selected.
    public let provides: [String]

    public init(requires: [String], provides: [String]) {
        self.requires = requires
        self.provides = provides
    }
}

/// An image to which a scene can be bound.
public struct ImageBinding: Sendable, Equatable {
    /// The names of the parameters whose values determine the image.
    public let requires: [String]

    public init(requires: [String]) {
        self.requires = requires
    }
}

/// A row of a table.
public struct Row: Sendable, Equatable {
    public let title: String
    public let subtitle: String?
    /// The parameters that the row passes to the scene that is shown when the row is selected.
    public let parameters: Parameters

    public init(title: String, subtitle: String?, parameters: Parameters) {
        self.title = title
        self.subtitle = subtitle
        self.parameters = parameters
    }
}

/// The path and the type of an image.
public struct ImageReference: Sendable, Equatable {
    /// The path of the image below `/v1`, as components without percent-encoding.
    public let components: [String]
    public let mediaType: String

    public init(components: [String], mediaType: String) {
        self.components = components
        self.mediaType = mediaType
    }
}

/// A data source without data, for apps whose scenes show none.
public struct NoData: DataSource {
    public init() {}

    public var rowBindings: [String: RowBinding] { [:] }
    public var imageBindings: [String: ImageBinding] { [:] }
    public func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { nil }
    public func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? { nil }
    public func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    public func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}

/// The parameters of a view controller, in the order of its scene's `parameters`; or the parameters
/// that a row passes to a scene, in the order of the data source.
public struct Parameters: Sendable, Equatable {
    /// The names, which share memory with the scene or the data source.
    public let names: [String]
    public let values: [String]

    public static let none = Parameters(names: [], values: [])

    /// Creates parameters.
    /// - Precondition: `names` and `values` have the same count.
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
