/// Why a file yields no property list at all.
public struct UnreadablePropertyList: Error, Equatable, Sendable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}
