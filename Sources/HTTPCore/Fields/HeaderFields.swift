/// The header fields of a message, in order. Names compare without regard to case (RFC 9110, 5.1).
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String
        /// The name's, in bytes: nearly all names that are looked for differ in it from those that are
        /// there.
        private let length: Int

        public init(name: consuming String, value: consuming String) {
            length = name.utf8.count
            self.name = name
            self.value = value
        }

        fileprivate func has(_ name: String, _ length: Int) -> Bool {
            self.length == length && HeaderFields.isSame(self.name, name)
        }
    }

    public private(set) var fields: [Field]

    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = []
        // Most get a few more.
        fields.reserveCapacity(elements.count + 4)
        for (name, value) in elements { append(name, value) }
    }

    /// - Parameter count: how many fields there are likely to be.
    public init(reserving count: Int) {
        fields = []
        fields.reserveCapacity(count)
    }

    /// The first value of a field.
    public subscript(name: String) -> String? {
        let length = name.utf8.count
        for field in fields where field.has(name, length) { return field.value }
        return nil
    }

    public func count(of name: String) -> Int {
        let length = name.utf8.count
        return fields.count { $0.has(name, length) }
    }

    /// The value of a field that is there once; nil if it is absent or there are several.
    public func only(_ name: String) -> String? {
        let length = name.utf8.count
        var value: String?
        for field in fields where field.has(name, length) {
            guard value == nil else { return nil }
            value = field.value
        }
        return value
    }

    /// All values of a field, in order.
    public func values(_ name: String) -> [String] {
        let length = name.utf8.count
        return fields.filter { $0.has(name, length) }.map(\.value)
    }

    /// All values of a field that is a list, combined as RFC 9110, 5.3 says; nil if it is absent.
    public func combined(_ name: String) -> String? {
        guard let first = self[name] else { return nil }
        return only(name) ?? ([first] + values(name).dropFirst()).joined(separator: ", ")
    }

    public mutating func append(_ name: consuming String, _ value: consuming String) {
        fields.append(Field(name: name, value: value))
    }

    /// ASCII letters only, as field names are tokens.
    /// - Precondition: both have the same length.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        // All but made-up names are native strings, whose bytes lie side by side.
        let isSame =
            one.utf8.withContiguousStorageIfAvailable { one in
                other.utf8.withContiguousStorageIfAvailable { other in
                    for index in 0..<one.count
                    where one[index] != other[index]
                        && lowercased(one[index]) != lowercased(other[index])
                    {
                        return false
                    }
                    return true
                }
            } ?? nil
        return isSame ?? one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
