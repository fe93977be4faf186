import JSON

/// The source of table rows and images for all scenes of an app. A scene refers to a list of rows
/// or to an image by a name such as `author.books`, which is called a binding. The data never
/// changes. Corresponds to UIKit's `UITableViewDataSource`.
public protocol DataSource: Sendable {
    var rowBindings: [String: RowBinding] { get }
    var imageBindings: [String: ImageBinding] { get }

    /// Returns the number of rows in the list that `binding` names; nil if there is no such list
    /// for these parameters, for example because no author has the given id.
    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int?

    /// Returns the row at `index` in the list that `binding` names; nil if there is no such row for
    /// these parameters.
    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row?

    /// Returns the indices of the rows with a title in the list that `binding` names, in ascending
    /// order. Titles are equal if they differ in their Unicode form alone. The time does not depend on
    /// the number of the other rows, except for the first call.
    func indices(
        ofRowsTitled title: String, in binding: String, _ parameters: Parameters
    ) -> [Int]

    /// Returns the path and the type of the image that `binding` names; nil if there is no such
    /// image for these parameters.
    func image(_ binding: String, _ parameters: Parameters) -> ImageReference?

    /// Returns the human-readable name for the value of a parameter, such as the name of the author
    /// whose id is the value; nil if no data has this id.
    func displayName(of parameter: String, in parameters: Parameters) -> String?
}

extension DataSource {
    /// Returns the first parameter in `names` whose value identifies no data, such as an author id
    /// that does not exist; nil if each value identifies data.
    func firstDangling(_ names: [String], in parameters: Parameters) -> String? {
        names.first { displayName(of: $0, in: parameters) == nil }
    }
}

/// The declaration of a list of rows that tables can show: the parameters that select the rows, and
/// the parameters that the rows supply.
public struct RowBinding: Sendable, Equatable {
    /// The names of the parameters whose values determine the rows.
    public let requires: [String]
    /// The names of the parameters that each row supplies. When a user selects the row, they are
    /// passed to the scene that is shown next.
    public let provides: [String]

    public init(requires: [String], provides: [String]) {
        self.requires = requires
        self.provides = provides
    }
}

/// The declaration of an image that scenes can show.
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
    /// The parameters that the row supplies. When a user selects the row, they are passed to the
    /// scene that is shown next.
    public let parameters: Parameters

    public init(title: String, subtitle: String?, parameters: Parameters) {
        self.title = title
        self.subtitle = subtitle
        self.parameters = parameters
    }
}

/// A reference to an image: its path and its media type.
public struct ImageReference: Sendable, Equatable {
    /// The components of the image's path after `/v1`, without percent-encoding.
    public let components: [String]
    public let mediaType: String

    public init(components: [String], mediaType: String) {
        self.components = components
        self.mediaType = mediaType
    }
}

/// The names and values of parameters, in a fixed order. For a view controller, this is the order
/// in which its scene declares the parameters. For a table row, the data source chooses the order.
public struct Parameters: Sendable, Equatable {
    /// The names of the parameters. The array shares its memory with the scene or the data source
    /// that declares the names.
    public let names: [String]
    public let values: [String]

    public static let none = Parameters(names: [], values: [])

    /// Creates parameters. The value at an index belongs to the name at the same index.
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

    /// Returns whether the parameters have the same names and values, in any order.
    func hasSameValues(as other: Parameters) -> Bool {
        names.count == other.names.count
            && zip(names, values).allSatisfy { name, value in
                other[name].map { areIdentical($0, value) } ?? false
            }
    }

    /// Compares the values byte by byte, see `areIdentical`.
    public static func == (one: Parameters, other: Parameters) -> Bool {
        one.names == other.names && one.values.elementsEqual(other.values, by: areIdentical)
    }
}
