import CJansson
import JSON

extension JSONParser {
    /// The strict parser of `JSONValue.init(parsing:maximumDepth:)`.
    public static let jansson = JSONParser(JSONValue.init(parsing:maximumDepth:))
}

extension JSONValue {
    /// Parses a text strictly (RFC 8259, UTF-8 only).
    /// - Throws: an error for invalid JSON, and for the following input that the JSON standard
    ///   allows: a repeated name, a NUL character in a name, an unpaired surrogate, a number beyond
    ///   64 bits, and nesting deeper than `maximumDepth`. The error for the nesting gives line 1
    ///   and column 1, unless the text is nested deeper than 2048 levels.
    public init(parsing text: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) {
        try self.init(parsing: text[...], maximumDepth: maximumDepth)
    }

    public init(parsing text: ArraySlice<UInt8>, maximumDepth: Int) throws(JSONSyntaxError) {
        var error = json_error_t()
        let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL
        let root = text.withUnsafeBytes { bytes in
            json_loadb(bytes.baseAddress, bytes.count, Int(flags), &error)
        }
        guard let root else { throw JSONSyntaxError(error) }
        defer { json_decref(root) }
        guard let value = JSONValue(root, depthLeft: maximumDepth) else {
            throw JSONSyntaxError(
                reason: "nested deeper than \(maximumDepth) levels", at: .init(line: 1, column: 1))
        }
        self = value
    }

    /// Returns the value that `write` writes; null if the parser refuses it, for example because it
    /// is nested deeper than 32 levels.
    package static func written(_ write: (inout JSONWriter) -> Void) -> JSONValue {
        (try? JSONValue(parsing: JSONWriter.bytes(write), maximumDepth: 32)) ?? .null
    }

    /// Parses the body of a request. A number beyond 64 bits is replaced with 1e99 or -1e99, which
    /// is out of range for every member, so that the reader of the body can name the member.
    /// - Throws: the errors of `init(parsing:maximumDepth:)`; for a number beyond 64 bits only after
    ///   more such numbers than a response lists.
    public init(
        parsingBody text: ArraySlice<UInt8>, maximumDepth: Int
    ) throws(JSONSyntaxError) {
        var text = text
        // Each number takes another run of the parser.
        for _ in 0..<BodyReader.maximumDefects {
            do throws(JSONSyntaxError) {
                self = try JSONValue(parsing: text, maximumDepth: maximumDepth)
                return
            } catch {
                guard let end = error.endOfLargeNumber else { throw error }
                text.replaceNumber(endingAt: text.startIndex + end)
            }
        }
        try self.init(parsing: text, maximumDepth: maximumDepth)
    }

    /// Converts a value of jansson, the C library that parses the text.
    /// - Parameter depthLeft: the maximum nesting of arrays and objects.
    /// - Returns: nil if the nesting is deeper than `depthLeft`.
    private init?(_ node: UnsafeMutablePointer<json_t>, depthLeft: Int) {
        switch node.pointee.type {
        case JSON_OBJECT:
            guard depthLeft > 0, let object = Self.object(node, depthLeft: depthLeft - 1)
            else { return nil }
            self = .object(object)
        case JSON_ARRAY:
            guard depthLeft > 0, let elements = Self.elements(node, depthLeft: depthLeft - 1)
            else { return nil }
            self = .array(elements)
        case JSON_STRING:
            self = .string(Self.text(json_string_value(node), json_string_length(node)))
        case JSON_INTEGER: self = .integer(Int(json_integer_value(node)))
        case JSON_REAL: self = .real(json_real_value(node))
        case JSON_TRUE: self = .boolean(true)
        case JSON_FALSE: self = .boolean(false)
        default: self = .null
        }
    }

    private static func object(
        _ node: UnsafeMutablePointer<json_t>, depthLeft: Int
    ) -> JSONObject? {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(json_object_size(node))
        var iterator = json_object_iter(node)
        while let here = iterator {
            guard let name = json_object_iter_key(here), let child = json_object_iter_value(here),
                let value = JSONValue(child, depthLeft: depthLeft)
            else { return nil }
            // jansson rejects a NUL in a name, so the name is a complete C string.
            members.append(JSONObject.Member(name: String(cString: name), value: value))
            iterator = json_object_iter_next(node, here)
        }
        return JSONObject(members: members)
    }

    private static func elements(
        _ node: UnsafeMutablePointer<json_t>, depthLeft: Int
    ) -> [JSONValue]? {
        var elements: [JSONValue] = []
        let count = json_array_size(node)
        elements.reserveCapacity(count)
        for index in 0..<count {
            guard let child = json_array_get(node, index),
                let element = JSONValue(child, depthLeft: depthLeft)
            else { return nil }
            elements.append(element)
        }
        return elements
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONSyntaxError {
    init(_ error: json_error_t) {
        let text = withUnsafeBytes(of: error.text) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        // jansson's messages quote the text: `… near 'x'`, `invalid Unicode escape 'x'`. The
        // quotation is removed.
        let marks = [" near '"] + (text.hasPrefix("invalid Unicode") ? [" '"] : [])
        let citation = marks.compactMap { text.firstRange(of: $0)?.lowerBound }.min()
        let reason = String(text[..<(citation ?? text.endIndex)])
        let isLargeNumber =
            withUnsafePointer(to: error, json_error_code) == json_error_numeric_overflow
        self.init(
            reason: reason,
            at: Place(line: max(Int(error.line), 1), column: max(Int(error.column), 1)),
            endOfLargeNumber: isLargeNumber ? Int(error.position) : nil)
    }
}

extension ArraySlice<UInt8> {
    /// Replaces the JSON number that ends before `end` with 1e99 or -1e99, and the rest of its
    /// digits with spaces. The number is beyond 64 bits, and therefore at least as long.
    fileprivate mutating func replaceNumber(endingAt end: Int) {
        let characters = Set("+-.0123456789Ee".utf8)
        var start = end
        while start > startIndex, characters.contains(self[start - 1]) { start -= 1 }
        let isNegative = self[start..<end].first == UInt8(ascii: "-")
        let number = Array((isNegative ? "-1e99" : "1e99").utf8)
        let spaces = repeatElement(
            UInt8(ascii: " "), count: Swift.max(0, end - start - number.count))
        replaceSubrange(start..<end, with: number + spaces)
    }
}
