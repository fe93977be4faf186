import Yams

/// Turns the short notation of schemas in `Fragments` into JSON schemas.
///
/// - A text is a type: `string`, `SceneName` (the schema of that name), `string | null`.
/// - A sequence of one element is an array of it: `[SceneName]`.
/// - Any other keyword is that of JSON Schema, with these exceptions: each of `properties` is
///   required unless its name ends with `?`; `type`, too, takes types as above; `extends` names a
///   schema whose properties come first; `discriminator` is the property by whose constant the
///   alternatives of `oneOf` differ. The type of an enum or a constant is `string`, unless it is
///   given.
struct SchemaNotation {
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    private static let primitives: Set = [
        "string", "integer", "number", "boolean", "object", "array", "null",
    ]

    /// All schemas in the short notation, by name.
    let sources: [String: Node]
    /// Whether an object may have the listed properties only, as in a request.
    let isClosed: Bool

    func schema(_ source: Node) throws -> Node {
        if let text = source.scalar?.string { return .object(try type(text)) }
        if let sequence = source.sequence {
            guard sequence.count == 1 else {
                throw Mistake(description: "an array of several types")
            }
            return .object([("type", "array"), ("items", try schema(sequence[0]))])
        }
        return .object(try keywords(source))
    }

    private func keywords(_ source: Node) throws -> [(String, Node)] {
        var result: [(String, Node)] = []
        if let description = source["description"] { result.append(("description", description)) }
        result += try typeKeywords(source)
        if source["properties"] != nil || source["extends"] != nil {
            result += try propertyKeywords(source)
        } else if isClosed, source["type"] == "object", source["additionalProperties"] == nil {
            result.append(("additionalProperties", .false))
        }
        for (name, node) in source.members {
            switch name {
            case "description", "type", "properties", "extends": break
            case "items": result.append((name, try schema(node)))
            case "oneOf": result.append((name, .array(try node.elements.map(schema))))
            case "additionalProperties":
                result.append((name, node.bool == nil ? try schema(node) : node))
            case "discriminator":
                result.append((name, try discriminator(node.string ?? "", of: source)))
            default: result.append((name, node))
            }
        }
        return result
    }

    private func typeKeywords(_ source: Node) throws -> [(String, Node)] {
        if let text = source["type"]?.string {
            let keywords = try type(
                text, hasMaximum: source["maximum"] != nil || source["format"] != nil)
            // Tools ignore keywords beside a reference.
            guard keywords.first?.0 == "$ref" else { return keywords }
            return [("allOf", .array([.object(keywords)]))]
        }
        if source["properties"] != nil || source["extends"] != nil { return [("type", "object")] }
        if source["items"] != nil { return [("type", "array")] }
        if source["enum"] != nil || source["const"] != nil { return [("type", "string")] }
        return []
    }

    /// Returns the schema of a type such as `integer`, `SceneName` or `SceneName | null`.
    private func type(_ text: String, hasMaximum: Bool = false) throws -> [(String, Node)] {
        let names = text.split(separator: " | ").map(String.init)
        guard let name = names.first, names.count == 1 || names.count == 2 && names[1] == "null"
        else {
            throw Mistake(description: "the type \(text); expected a type, or a type and null")
        }
        let isNullable = names.count == 2
        guard Self.primitives.contains(name) else {
            guard sources[name] != nil else {
                throw Mistake(description: "there is no schema \(name)")
            }
            let reference = Node.reference("schemas", name)
            return isNullable
                ? [("oneOf", .array([reference, .object([("type", .text("null"))])]))]
                : reference.members.map { ($0.name, $0.node) }
        }
        let type = ("type", isNullable ? Node.texts(names) : .text(name))
        return name == "integer" && !hasMaximum ? [type, ("format", "int64")] : [type]
    }

    private func propertyKeywords(_ source: Node) throws -> [(String, Node)] {
        let properties = try self.properties(of: source)
        let required = properties.filter { !$0.name.hasSuffix("?") }.map(\.name)
        var result: [(String, Node)] = []
        if isClosed { result.append(("additionalProperties", .false)) }
        if !required.isEmpty { result.append(("required", .texts(required))) }
        result.append(
            (
                "properties",
                .object(
                    try properties.map { name, node in
                        (name.hasSuffix("?") ? String(name.dropLast()) : name, try schema(node))
                    })
            ))
        return result
    }

    private func properties(of source: Node) throws -> [(name: String, node: Node)] {
        let own = source["properties"]?.members ?? []
        guard let name = source["extends"]?.string else { return own }
        guard let base = sources[name] else {
            throw Mistake(description: "there is no schema \(name)")
        }
        return try properties(of: base) + own
    }

    private func discriminator(_ property: String, of source: Node) throws -> Node {
        let names = source["oneOf"]?.elements.compactMap(\.string) ?? []
        let mapping = try names.map { name in
            let properties = try properties(of: sources[name] ?? .object([]))
            guard
                let value = properties.first(where: { $0.name == property })?.node["const"]?.string
            else {
                throw Mistake(description: "\(name) has no constant \(property)")
            }
            return (value, Node.text("#/components/schemas/\(name)"))
        }
        return .object([("propertyName", .text(property)), ("mapping", .object(mapping))])
    }
}
