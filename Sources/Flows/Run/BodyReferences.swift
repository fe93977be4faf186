import JSON

/// Resolves the references in the JSON body of an operation. The text `@books` becomes the id of
/// the live view controller of the scene `books`. The title of a row, segment or tab becomes the
/// index of this row, segment or tab.
struct BodyReferences {
    /// Returns the id of the view controller for a reference: `@books` is the first live view
    /// controller of the scene `books`, and `@books#2` is the second. The view controllers of a
    /// scene are counted layer by layer, in each layer tab by tab, and in each tab from the root of
    /// the stack. A layer is the content of the window or a presented screen.
    let viewController: (String) throws(ReferenceError) -> String
    /// Returns the id of the navigation controller that contains the view controller of a reference
    /// such as `@books`.
    let navigationController: (String) throws(ReferenceError) -> String
    /// Returns the index of the row, segment or tab with a title. The name of the operation decides
    /// which: for example, `select` needs a row, and `tap-tab` needs a tab.
    let index: (_ title: String, _ operation: String) throws(ReferenceError) -> Int

    /// References that resolve to fixed sample values, so that the form of a body can be checked
    /// without a session.
    static var placeholders: BodyReferences {
        BodyReferences(
            viewController: { _ in "vc1" }, navigationController: { _ in "nc1" },
            index: { _, _ in 0 })
    }

    /// Returns the name of the member that replaces `title` in the body of an operation: `row` for
    /// `select`, and `index` for operations on segments and tabs. Returns nil for all other
    /// operations, in which `title` is not a reference.
    static func indexMember(of operation: String) -> String? {
        switch operation {
        case "select": "row"
        case "selected-segment", "selected-tab", "tap-tab": "index"
        default: nil
        }
    }
}

/// The kinds of references that the body of an operation contains.
struct ReferenceKinds: OptionSet {
    static let viewController = ReferenceKinds(rawValue: 1)
    static let row = ReferenceKinds(rawValue: 2)
    /// A reference to a segment or a tab by its title.
    static let item = ReferenceKinds(rawValue: 4)

    let rawValue: Int
}

/// An error for a reference that matches no view controller, row, segment or tab of the session.
struct ReferenceError: Error {
    let reason: String
}

extension JSONObject {
    /// Returns the kinds of references that this body of an operation contains.
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

    /// Returns this body of an operation with each reference replaced by its id or index.
    /// - Throws: `ReferenceError` if a reference matches nothing in the session.
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

    /// The name of the operation, if this value is one of the operations in the body of `batch`,
    /// which performs several operations in one request. Otherwise an empty text.
    var operation: String { self["op"]?.text ?? "" }
}
