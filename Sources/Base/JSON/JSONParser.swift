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

/// The reason why a text is not valid JSON, and the position of the error.
public struct JSONSyntaxError: Error, Sendable, Equatable {
    /// The reason. It quotes nothing from the text, because the text may contain a secret.
    public let reason: String
    /// The line of the error, from 1.
    public let line: Int
    /// The column of the error in characters, from 1.
    public let column: Int
    /// The number of bytes up to the end of a number beyond 64 bits; nil for other errors.
    public let endOfLargeNumber: Int?

    public init(reason: String, line: Int, column: Int, endOfLargeNumber: Int? = nil) {
        self.reason = reason
        self.line = line
        self.column = column
        self.endOfLargeNumber = endOfLargeNumber
    }
}
