import JSON
import NavigationRules

/// Resolves the references in the JSON body of an operation. The text `@books` becomes the id of
/// the live view controller of the scene `books`. The title of a row, segment or tab becomes the
/// index of this row, segment or tab.
struct BodyReferences {
    /// Returns the id of the view controller for a reference: `@books` is the first live view
    /// controller of the scene `books`, and `@books#2` is the second. The view controllers of a
    /// scene are counted layer by layer, in each layer tab by tab, and in each tab from the root of
    /// the stack. A layer is the content of the window or a presented screen.
    let viewController: (String) throws(FlowFailure) -> String
    /// Returns the id of the navigation controller that contains the view controller of a reference
    /// such as `@books`.
    let navigationController: (String) throws(FlowFailure) -> String
    /// Returns the index of the row, segment or tab with a title. The place is `row`, `segment` or
    /// `tab`.
    let index: (_ title: String, _ place: Tap.Place) throws(FlowFailure) -> Int

    /// References that resolve to fixed sample values, so that the form of a body can be checked
    /// without a session.
    static var placeholders: BodyReferences {
        BodyReferences(
            viewController: { _ in "vc1" }, navigationController: { _ in "nc1" },
            index: { _, _ in 0 })
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

extension JSONObject {
    /// Returns the kinds of references that this body of an operation contains.
    func references(in operation: String) -> ReferenceKinds {
        members.reduce(into: []) { kinds, member in
            if member.name == "title", let (place, _) = Self.title(in: operation) {
                kinds.insert(place == .row ? .row : .item)
            } else if let elements = member.value.elements {
                for element in elements {
                    let (name, body) = element.entry(of: operation)
                    kinds.formUnion(body?.references(in: name) ?? [])
                }
            } else if member.value.text?.hasPrefix("@") == true {
                kinds.insert(.viewController)
            }
        }
    }

    /// Returns this body of an operation with each reference replaced by its id or index.
    /// - Throws: `FlowFailure` if a reference matches nothing in the session.
    func replacing(
        in operation: String, with references: BodyReferences
    ) throws(FlowFailure) -> JSONObject {
        JSONObject(
            members: try members.map { member throws(FlowFailure) in
                try Self.replacing(member, in: operation, with: references)
            })
    }

    private static func replacing(
        _ member: Member, in operation: String, with references: BodyReferences
    ) throws(FlowFailure) -> Member {
        switch (member.name, member.value) {
        case ("viewController", .string(let text)), ("from", .string(let text)):
            guard text.hasPrefix("@") else { return member }
            return Member(name: member.name, value: .string(try references.viewController(text)))
        case ("navigationController", .string(let text)):
            guard text.hasPrefix("@") else { return member }
            return Member(
                name: member.name, value: .string(try references.navigationController(text)))
        case ("title", .string(let title)):
            guard let (place, name) = Self.title(in: operation) else { return member }
            return Member(name: name, value: .integer(try references.index(title, place)))
        case (_, .array(let elements)):
            let replaced = try elements.map { element throws(FlowFailure) -> JSONValue in
                let (name, body) = element.entry(of: operation)
                guard let filled = try body?.replacing(in: name, with: references) else {
                    return element
                }
                return operation == Batch.name ? [name: .object(filled)] : .object(filled)
            }
            return Member(name: member.name, value: .array(replaced))
        default: return member
        }
    }
}

extension JSONObject {
    /// Returns the place of the control for whose index a title can stand in the body of an
    /// operation, and the name of the member with the index; nil if a title is no reference there.
    fileprivate static func title(in operation: String) -> (place: Tap.Place, member: String)? {
        if case .title(let place, let member) = Operation.type(named: operation)?.shortForm {
            (place, member)
        } else {
            nil
        }
    }
}

extension JSONValue {
    /// Returns the name and the body of an operation in a batch. In the list of any other operation,
    /// the name is empty, and the body is the value itself.
    fileprivate func entry(of operation: String) -> (name: String, body: JSONObject?) {
        guard operation == Batch.name else { return ("", object) }
        let member = object?.members.first
        return (member?.name ?? "", member?.value.object)
    }
}
