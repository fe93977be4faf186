import NavigationRules
import WaypostAPI
import Yams

/// The schemas of the operations on a session, from their declarations.
struct OperationSchemas {
    let fragments: Fragments

    /// The schemas of the requests for the operations, and of what they contain, by name.
    func schemas() -> [(String, Node)] {
        let operations = (Operation.all + [Batch.self, Patch.self]).map { type in
            (type.schemaName, request(type))
        }
        return operations + [
            ("Operation", entry),
            ("StackEntry", object(SetViewControllers.Entry.self)),
            ("UpdateViewController", object(Patch.propertyDescriptions)),
        ]
    }

    /// An entry of a batch. It is one object with a member for each operation, because a union
    /// would become as many types in generated clients.
    private var entry: Node {
        let properties = (Operation.all + [Patch.self]).map {
            ($0.name, Node.reference("schemas", $0.schemaName))
        }
        return [
            "description": """
            An operation: an object with one member, its name, whose value is the body of its \
            request.
            """,
            "type": "object", "additionalProperties": .false, "minProperties": .integer(1),
            "maxProperties": .integer(1), "properties": .object(properties),
        ]
    }

    private func request<Request: NavigationOperation>(_ type: Request.Type) -> Node {
        let text = "Whether the transition is animated; by default \(type.isAnimatedByDefault)."
        let animated = Node.object([("description", .text(text)), ("type", "boolean")])
        return object(
            type.memberDescriptions, type.exactlyOne,
            type.hasAnimated ? [("animated", animated)] : [])
    }

    private func object<List: MemberList>(_ type: List.Type) -> Node {
        object(type.memberDescriptions, type.exactlyOne)
    }

    /// - Parameter more: further properties.
    private func object(
        _ members: [MemberDescription], _ exactlyOne: [String] = [], _ more: [(String, Node)] = []
    ) -> Node {
        var keywords: [(String, Node)] = [("type", "object"), ("additionalProperties", .false)]
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { keywords.append(("required", .texts(required))) }
        keywords.append(("properties", .object(members.map { ($0.name, property($0)) } + more)))
        let companions = members.compactMap { member in
            member.companion.map { (member.name, Node.texts([$0])) }
        }
        if !companions.isEmpty { keywords.append(("dependentRequired", .object(companions))) }
        if !exactlyOne.isEmpty {
            let alternatives = exactlyOne.map { Node.object([("required", .texts([$0]))]) }
            // Inside of `allOf`, because generators would make a union of an `oneOf` beside the
            // properties.
            keywords.append(("allOf", .array([.object([("oneOf", .array(alternatives))])])))
        }
        return .object(keywords)
    }

    private func property(_ member: MemberDescription) -> Node {
        let keywords = schema(member.schema)
        let isReference = keywords.first?.0 == "$ref"
        // Tools ignore keywords beside a reference.
        return .object(
            [("description", .text(member.text))]
                + (isReference ? [("allOf", .array([.object(keywords)]))] : keywords))
    }

    private func schema(_ schema: MemberSchema) -> [(String, Node)] {
        switch schema {
        case .named(let name): [("$ref", .text("#/components/schemas/\(name)"))]
        case .string: [("type", "string")]
        case .nullableString: [("type", .texts(["string", "null"]))]
        case .boolean: [("type", "boolean")]
        case .integer: [("type", "integer"), ("format", "int64")]
        case .choice(let names):
            fragments.name(ofEnum: names).map { [("$ref", .text("#/components/schemas/\($0)"))] }
                ?? [("type", "string"), ("enum", .texts(names))]
        case .list(let element, let maximum):
            [("type", "array")] + (maximum.map { [("maxItems", .integer($0))] } ?? [])
                + [("items", .object(self.schema(element)))]
        case .object(let members): object(members).members.map { ($0.name, $0.node) }
        }
    }

    // MARK: Examples

    /// Returns the example of a request; nil if the schema is not that of an operation.
    func example(of schema: String) -> Node? {
        (Operation.all + [Batch.self]).first { $0.schemaName == schema }.map(example)
    }

    private func example(_ type: any NavigationOperation.Type) -> Node {
        example(type.memberDescriptions, type.exactlyOne)
    }

    /// An object with the required members, and with the first of those of which there must be one.
    private func example(_ members: [MemberDescription], _ exactlyOne: [String]) -> Node {
        .object(
            members.filter { $0.isRequired || $0.name == exactlyOne.first }.map {
                ($0.name, example($0))
            })
    }

    private func example(_ member: MemberDescription) -> Node {
        fragments.memberExamples[member.name] ?? example(member.name, member.schema)
    }

    private func example(_ name: String, _ schema: MemberSchema) -> Node {
        switch schema {
        case .named("Operation"): .object([(Operation.all[0].name, example(Operation.all[0]))])
        case .named("StackEntry"):
            example(
                SetViewControllers.Entry.memberDescriptions, SetViewControllers.Entry.exactlyOne)
        case .named(let schema): fragments.example(ofNamed: schema)
        case .string, .nullableString: .text(name)
        case .boolean: .true
        case .integer: .integer(0)
        case .choice(let names): .text(names[0])
        case .list(let element, _): .array([example(name, element)])
        case .object(let members): .object(members.prefix(1).map { ($0.name, example($0)) })
        }
    }
}

extension NavigationOperation {
    /// The name of the schema of a request, such as `PopToRoot`.
    static var schemaName: String { RouteDescription.schemaName(of: name) }
}
