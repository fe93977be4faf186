import JSON

/// Resolves the references in the body of an operation: `@scene` becomes the id of a live view
/// controller, and the title of a row, segment or tab becomes its index.
struct BodyReferences {
    /// Returns the id that `@scene` or `@scene#2` stands for.
    let viewController: (String) throws(ReferenceError) -> String
    /// Returns the id of the navigation controller that contains the view controller of `@scene`.
    let navigationController: (String) throws(ReferenceError) -> String
    /// Returns the index of the row, segment or tab with the given title. The operation, such as
    /// `select`, says which of the three the title belongs to.
    let index: (_ title: String, _ operation: String) throws(ReferenceError) -> Int

    /// Placeholder values, with which the form of a body is checked without a session.
    static var placeholders: BodyReferences {
        BodyReferences(
            viewController: { _ in "vc1" }, navigationController: { _ in "nc1" },
            index: { _, _ in 0 })
    }

    /// Returns the member that replaces `title` in the body of an operation: `row` or `index`; nil
    /// if `title` is no reference in this operation.
    static func indexMember(of operation: String) -> String? {
        switch operation {
        case "select": "row"
        case "selected-segment", "selected-tab", "tap-tab": "index"
        default: nil
        }
    }
}

/// The kinds of references in a body.
struct ReferenceKinds: OptionSet {
    static let viewController = ReferenceKinds(rawValue: 1)
    static let row = ReferenceKinds(rawValue: 2)
    /// The title of a segment or a tab.
    static let item = ReferenceKinds(rawValue: 4)

    let rawValue: Int
}

/// The reason why a reference stands for nothing in the session.
struct ReferenceError: Error {
    let reason: String
}

extension JSONObject {
    /// Returns the kinds of references in the body of an operation.
    func references(in operation: String) -> ReferenceKinds {
        members.reduce(into: []) { kinds, member in
            if member.name == "title", let index = BodyReferences.indexMember(of: operation) {
                kinds.insert(index == "row" ? .row : .item)
            } else if let elements = member.value.elements {
                for element in elements {
                    kinds.formUnion(element.object?.references(in: element.operation) ?? [])
                }
            } else if member.value.text?.hasPrefix("@") == true {
                kinds.insert(.viewController)
            }
        }
    }

    /// Returns the body of an operation with the values that its references stand for.
    func replacing(
        in operation: String, with references: BodyReferences
    ) throws(ReferenceError) -> JSONObject {
        var replaced: [Member] = []
        for member in members {
            replaced.append(try Self.replacing(member, in: operation, with: references))
        }
        return JSONObject(members: replaced)
    }

    private static func replacing(
        _ member: Member, in operation: String, with references: BodyReferences
    ) throws(ReferenceError) -> Member {
        switch (member.name, member.value) {
        case ("viewController", .string(let text)), ("from", .string(let text)):
            guard text.hasPrefix("@") else { return member }
            return Member(name: member.name, value: .string(try references.viewController(text)))
        case ("navigationController", .string(let text)):
            guard text.hasPrefix("@") else { return member }
            return Member(
                name: member.name, value: .string(try references.navigationController(text)))
        case ("title", .string(let title)):
            guard let name = BodyReferences.indexMember(of: operation) else { return member }
            return Member(name: name, value: .integer(try references.index(title, operation)))
        case (_, .array(let elements)):
            var replaced: [JSONValue] = []
            for element in elements {
                guard let object = element.object else {
                    replaced.append(element)
                    continue
                }
                replaced.append(
                    .object(try object.replacing(in: element.operation, with: references)))
            }
            return Member(name: member.name, value: .array(replaced))
        default: return member
        }
    }
}

extension JSONValue {
    var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// The name of the operation, for an entry of a batch.
    var operation: String { self["op"]?.text ?? "" }
}
