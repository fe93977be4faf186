import Navigation

/// The body of a batch: `{operations: [{op: "push", …}, …], animated?}`.
struct Batch {
    static let maximumOperations = 1000

    let operations: [Operation]
    let animated: Bool

    init(_ body: inout BodyReader) {
        var lastAnimated: Bool?
        operations = body.array("operations", atMost: Self.maximumOperations) { reader in
            let operation = Self.operation(&reader)
            lastAnimated = reader.optionalBoolean("animated") ?? lastAnimated
            return operation
        }
        // There is one transition: the last operation that says how speaks for all.
        animated = body.optionalBoolean("animated") ?? lastAnimated ?? false
    }

    private static let names =
        NavigationOperation.allCases.map(\.rawValue).joined(separator: ", ")

    private static func operation(_ reader: inout BodyReader) -> Operation {
        let isNamed = reader.has("op")
        guard let operation = NavigationOperation(rawValue: reader.string("op")) else {
            // A missing or ill-typed name has been noted.
            if isNamed { reader.note("unknown operation; expected \(names)", member: "op") }
            reader.ignoreOthers()
            return .pop
        }
        return operation.decode(&reader)
    }
}
