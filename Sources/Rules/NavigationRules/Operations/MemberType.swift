import JSON

/// The type of a JSON member: how its value is read, written and described.
public struct MemberType<Value: Sendable>: Sendable {
    public let schema: MemberSchema
    /// The type with an article, for the message about a missing member, such as `a string`.
    let kind: String
    /// Reads the member with this name. Returns nil if it is absent, or ill-typed, which is a
    /// recorded defect.
    let read: @Sendable (inout BodyReader, String) -> Value?
    let write: @Sendable (Value, inout JSONWriter) -> Void
}

/// The schema of a JSON member, for `openapi.yaml`.
public indirect enum MemberSchema: Sendable {
    /// A schema that `openapi.yaml` has under this name.
    case named(String)
    case string, nullableString, boolean, integer
    case choice([String])
    case list(of: MemberSchema, maximum: Int?)
    case object([MemberDescription])
}

extension MemberType where Value == String {
    static let text = MemberType(
        schema: .string, kind: "a string", read: { $0.optionalString($1) },
        write: { $1.string($0) })
    static let sceneName = MemberType(
        schema: .named("SceneName"), kind: "a string", read: { $0.optionalString($1) },
        write: { $1.string($0) })
}

extension MemberType where Value == String? {
    /// A text or `null`.
    static let nullableText = MemberType(
        schema: .nullableString, kind: "a string or null", read: { $0.nullableString($1) },
        write: { value, json in value.map { json.string($0) } ?? json.null() })
}

extension MemberType where Value == [String] {
    static let texts = MemberType(
        schema: .list(of: .string, maximum: nil), kind: "an array of strings",
        read: { $0.optionalStrings($1) },
        write: { texts, json in json.array(texts) { $0.string($1) } })
}

extension MemberType where Value == Bool {
    static let boolean = MemberType(
        schema: .boolean, kind: "true or false", read: { $0.optionalBoolean($1) },
        write: { $1.boolean($0) })
}

extension MemberType where Value == Int {
    static let integer = MemberType(
        schema: .integer, kind: "an integer", read: { $0.optionalInteger($1) },
        write: { $1.integer($0) })
}

extension MemberType where Value == [String: String] {
    /// The values of a scene's parameters, by name.
    static let parameters = MemberType(
        schema: .named("Parameters"), kind: "an object",
        read: { $0.expectsPresent($1) ? $0.strings($1) : nil },
        write: { parameters, json in
            json.object { json in
                func write(_ name: String, _ value: String) {
                    json.name(escaping: name)
                    json.string(value)
                }
                // Equal parameters are written as equal texts. Most operations have at most one.
                if parameters.count == 1 {
                    for (name, value) in parameters { write(name, value) }
                } else {
                    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
                        write(name, value)
                    }
                }
            }
        })
}

extension MemberType where Value == ViewController.ID {
    static let viewController = MemberType(
        schema: .named("ViewControllerID"), kind: "a string",
        read: { reader, name in
            reader.optionalString(name).map { text in
                if let id = ViewController.ID(text) { return id }
                reader.refuse(
                    NavigationError.Code.viewControllerNotFound.rawValue,
                    "no live view controller has the id \(text)", member: name)
                return ViewController.ID(number: 0)
            }
        },
        write: { id, json in json.string(id.description) })
}

extension MemberType where Value == NavigationController.ID {
    static let navigationController = MemberType(
        schema: .named("NavigationControllerID"), kind: "a string",
        read: { reader, name in
            reader.optionalString(name).map { text in
                if let id = NavigationController.ID(text) { return id }
                reader.refuse(
                    NavigationError.Code.navigationControllerNotFound.rawValue,
                    "no navigation controller has the id \(text)", member: name)
                return NavigationController.ID(number: 0)
            }
        },
        write: { id, json in json.string(id.description) })
}

extension MemberType where Value == Link {
    /// A link in the form of a path.
    static let linkPath = link { .path($0) }
    /// A link in the form of a URL.
    static let linkURL = link { .url($0) }

    private static func link(_ make: @escaping @Sendable (String) -> Link) -> MemberType {
        MemberType(
            schema: .string, kind: "a string", read: { Link.read(&$0, $1, make) },
            write: { $1.string($0.text) })
    }
}

extension MemberType where Value: CaseIterable & RawRepresentable<String> {
    /// One of the raw values of an enum.
    static var choice: MemberType {
        MemberType(
            schema: .choice(Value.allCases.map(\.rawValue)), kind: "a string",
            read: { $0.choice($1) }, write: { $1.string($0.rawValue) })
    }
}

extension MemberType {
    /// A list of objects.
    /// - Parameter schema: the name of the schema of an entry.
    static func list<Entry: MemberList>(
        of schema: String, atMost maximum: Int
    ) -> MemberType where Value == [Entry] {
        MemberType(
            schema: .list(of: .named(schema), maximum: maximum), kind: "an array",
            read: { reader, name in
                guard reader.expectsPresent(name) else { return nil }
                return reader.array(name, atMost: maximum) { reader in
                    var entry = Entry()
                    Entry.read(&reader, into: &entry)
                    return entry
                }
            },
            write: { entries, json in
                json.array(entries) { json, entry in
                    json.object { entry.writeMembers(to: &$0) }
                }
            })
    }
}
