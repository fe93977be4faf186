/// The flags of a session: named booleans that guard controls and segues. The storyboard names
/// them, with the values of a new session.
public struct Flags: Sendable, Equatable {
    /// The maximum number of flags of a storyboard. One bit of a session holds each value.
    public static let maximum = UInt16.bitWidth
    /// The name that stands for the log-in state. Conditions can name it, and nothing sets it.
    public static let loggedIn = "loggedIn"

    /// The names in alphabetical order. All sessions of a storyboard share the array.
    public let names: [String]
    /// The value of the flag at index `i` of `names`, in the bit `i`.
    private(set) var bits: UInt16 = 0

    /// - Precondition: there are at most `maximum` flags.
    public init(_ values: [String: Bool] = [:]) {
        precondition(values.count <= Self.maximum)
        names = values.keys.sorted()
        for (name, value) in values { self[name] = value }
    }

    /// Creates flags from their parts.
    init(names: [String], bits: UInt16) {
        self.names = names
        self.bits = bits
    }

    public var isEmpty: Bool { names.isEmpty }

    /// The values by name.
    public var values: [String: Bool] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, self[$0] == true) })
    }

    /// The value of a flag; nil if no flag has this name. A new value of another name is ignored.
    public subscript(name: String) -> Bool? {
        get { names.firstIndex(of: name).map { bits & 1 << $0 != 0 } }
        set {
            guard let index = names.firstIndex(of: name) else { return }
            bits = newValue == true ? bits | 1 << index : bits & ~(1 << index)
        }
    }

    /// Returns whether a text can be the name of a flag: a letter, and at most 39 letters and
    /// digits. All of them are ASCII characters.
    static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && $0.properties.isAlphabetic || isDigit($0)
            }
            && text.unicodeScalars.first.map(isDigit) == false
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

/// The condition under which a control is there, or under which a segue is performed: that a flag
/// has a value.
public struct FlagCondition: Sendable, Equatable {
    public let flag: String
    public let value: Bool

    /// Creates a condition from its text in a storyboard: the name of a flag, with `!` before it
    /// for the value false.
    public init(_ text: String) {
        value = !text.hasPrefix("!")
        flag = value ? text : String(text.dropFirst())
    }

    /// The condition as the storyboard contains it.
    public var text: String { value ? flag : "!\(flag)" }

    /// Whether one of the two conditions holds exactly while the other does not.
    func isOpposite(of other: FlagCondition) -> Bool { flag == other.flag && value != other.value }
}
