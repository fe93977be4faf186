import WaypostCore

@testable import JSON

extension JSONValue {
    /// As a request's body is parsed.
    init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8), maximumDepth: 32)
    }

    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(JSONObject(members: members.map { JSONObject.Member(name: $0, value: $1) }))
    }
}

/// - Returns: why `text` is refused; nil if it is not.
func refusal(of text: [UInt8]) -> JSONSyntaxError? {
    do {
        _ = try JSONValue(parsing: text, maximumDepth: 32)
        return nil
    } catch {
        return error
    }
}

func refusal(of text: String) -> JSONSyntaxError? { refusal(of: Array(text.utf8)) }
