/// A parser of JSON that the caller of a reader chooses, so that the reader itself needs no library.
public struct JSONParser: Sendable {
    /// Parses a text (the first parameter) whose arrays and objects may be nested to a maximum depth.
    public let parse: @Sendable (ArraySlice<UInt8>, Int) throws(JSONSyntaxError) -> JSONValue

    public init(
        _ parse: @escaping @Sendable (ArraySlice<UInt8>, Int) throws(JSONSyntaxError) -> JSONValue
    ) {
        self.parse = parse
    }
}

/// The reason why a text is not valid JSON, and the place of the error.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Place: Sendable, Equatable {
        /// The line, from 1.
        public let line: Int
        /// The column in characters, from 1.
        public let column: Int

        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// The reason. It quotes nothing from the text, because the text may contain a secret.
    public let reason: String
    /// The place of the error; nil if the parser does not tell it.
    public let place: Place?
    /// The number of bytes up to the end of a number beyond 64 bits; nil for other errors.
    public let endOfLargeNumber: Int?

    /// The reason behind the place, such as `line 1, column 5: invalid token`.
    public var description: String {
        (place.map { "line \($0.line), column \($0.column): " } ?? "") + reason
    }

    public init(reason: String, at place: Place? = nil, endOfLargeNumber: Int? = nil) {
        self.reason = reason
        self.place = place
        self.endOfLargeNumber = endOfLargeNumber
    }
}
