internal import Foundation
internal import JSON

extension JSONParser {
    /// Foundation's parser. Unlike that of the service, it accepts an object that has the same key
    /// twice, and uses one of the two values; and it reads a number without a fraction, such as
    /// `4.0` or `1e2`, as an integer.
    static let foundation = JSONParser { text, maximumDepth throws(JSONSyntaxError) in
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(DecodedJSON.self, from: Data(text)).value
        } catch {
            var reason = "\(error)"
            if case DecodingError.dataCorrupted(let context) = error {
                let cause = context.underlyingError as NSError?
                // On Linux, the error has no cause.
                reason =
                    cause?.userInfo[NSDebugDescriptionErrorKey] as? String
                    ?? context.debugDescription
            }
            throw JSONSyntaxError(reason: reason)
        }
        guard value.isNested(atMost: maximumDepth) else {
            throw JSONSyntaxError(reason: "nested deeper than \(maximumDepth) levels")
        }
        return value
    }
}

/// A value of any type, as `JSONDecoder` reads it.
private struct DecodedJSON: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let flag = try container.decode(ifMatching: Bool.self) {
            value = .boolean(flag)
        } else if let number = try? container.decode(Int.self) {
            value = .integer(number)
        } else if let number = try container.decode(ifMatching: Double.self) {
            value = .real(number)
        } else if let text = try container.decode(ifMatching: String.self) {
            value = .string(text)
        } else if let elements = try container.decode(ifMatching: [DecodedJSON].self) {
            value = .array(elements.map(\.value))
        } else {
            let members = try container.decode([String: DecodedJSON].self)
            value = .object(
                JSONObject(
                    members: members.sorted { $0.key < $1.key }.map {
                        JSONObject.Member(name: $0.key, value: $0.value.value)
                    }))
        }
    }
}

extension SingleValueDecodingContainer {
    /// Decodes a value, or returns nil if the value has another type.
    /// - Throws: an error if the value is not valid, such as a string with an unknown escape.
    fileprivate func decode<Value: Decodable>(ifMatching type: Value.Type) throws -> Value? {
        do { return try decode(type) } catch DecodingError.typeMismatch { return nil }
    }
}

extension JSONValue {
    fileprivate func isNested(atMost depth: Int) -> Bool {
        switch self {
        case .array(let elements):
            depth > 0 && elements.allSatisfy { $0.isNested(atMost: depth - 1) }
        case .object(let object):
            depth > 0 && object.members.allSatisfy { $0.value.isNested(atMost: depth - 1) }
        default: true
        }
    }
}
