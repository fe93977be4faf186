import JSON

/// The actual values of a session, which are compared with the expectations of a step. Values are
/// read from the session only when an expectation needs them.
final class Findings {
    private let driver: any FlowDriver
    /// The response to the latest action; nil if there was no action yet, or if the latest action
    /// was refused. `revoke`, `restart` and `fork` do not count, because they have no response.
    private let answer: Answer?
    private var readSession: JSONValue?

    init(_ driver: any FlowDriver, _ answer: Answer?) {
        self.driver = driver
        self.answer = answer
    }

    /// Returns the actual value for an expectation, in the same form as the expected value. For
    /// example, a tab is an index if the expected value is a number, and otherwise a title.
    func value(for expectation: Expectation) async throws -> JSONValue {
        let expected = expectation.value
        switch expectation.key {
        case "title": return Self.title(try await session()["viewControllers"]?.elements?.last)
        case "back":
            return try await session()["navigationBar"]?["backButton"]?["title"] ?? .null
        case "stack":
            return Self.stack(try await session()["viewControllers"], like: expected)
        case "root": return try await session()["window"]?["root"] ?? .null
        case "tab":
            return Self.selected(
                in: try await session()["tabBar"], "items", like: expected)
        case "segment":
            return Self.selected(
                in: try await session()["segmentedControl"], "segments", like: expected)
        case "layers": return try await layers(like: expected)
        case "bottomBar": return try await session()["bottomBar"]?["text"] ?? .null
        case "rows": return try await rows(like: expected)
        case "image": return try await image(like: expected)
        case "pending": return try await session()["pending"]?["operation"] ?? .null
        case "pendingLink": return try await session()["pendingLink"] ?? .null
        case "link": return try await session()["link"] ?? .null
        case "popped": return Self.stack(try answer?.change()["popped"], like: expected)
        case "transition": return try answer?.change()["transition"] ?? .null
        case "changed": return try answer?.change()["changed"] ?? .null
        case "events": return try events()
        case "flags": return (try await session()["flags"] ?? .null).members(like: expected)
        case "auth": return try await session()["auth"]?["username"] ?? .null
        default:
            let path = expectation.key
            let document =
                path.hasPrefix("layers.") ? try await driver.layers() : try await session()
            return Self.value(at: path, in: document) ?? Self.absent
        }
    }

    func session() async throws -> JSONValue {
        if let readSession { return readSession }
        let session = try await driver.session()
        readSession = session
        return session
    }

    private func events() throws -> JSONValue {
        let events = try answer?.change()["events"]?.elements ?? []
        return JSONValue(events.map { "\($0["event"]?.text ?? "") \($0["scene"]?.text ?? "")" })
    }

    private func layers(like expected: JSONValue) async throws -> JSONValue {
        let layers = try await driver.layers()["layers"]?.elements ?? []
        guard expected.elements != nil else { return .integer(layers.count) }
        return .array(
            layers.map { layer in
                let selected = layer["tabBar"]?["selectedIndex"]?.number ?? 0
                let holders = layer["navigationControllers"]?.elements ?? []
                guard selected < holders.count else { return .null }
                return Self.title(holders[selected]["viewControllers"]?.elements?.last)
            })
    }

    private func rows(like expected: JSONValue) async throws -> JSONValue {
        if expected.object != nil {
            let count = try await session()["screen"]?["numberOfRows"] ?? .null
            return ["count": count]
        }
        guard try await session()["screen"]?["kind"]?.text == "table" else { return .null }
        return JSONValue(try await driver.rowTitles())
    }

    private func image(like expected: JSONValue) async throws -> JSONValue {
        let url = try await session()["screen"]?["image"]?["url"] ?? .null
        if case .boolean = expected { return .boolean(url != .null) }
        return url
    }

    // MARK: Forms

    /// The value that stands for a member that is missing.
    static let absent: JSONValue = "absent"

    static func title(_ viewController: JSONValue?) -> JSONValue {
        guard let viewController else { return .null }
        if let title = viewController["navigationItem"]?["title"], title != .null { return title }
        return viewController["title"] ?? .null
    }

    /// Returns the view controllers of a stack in the same form as the expected list. If the
    /// expected entry at an index is an object, the returned entry is an object with the same
    /// members. Otherwise, the returned entry is the title of the view controller.
    private static func stack(_ stack: JSONValue?, like expected: JSONValue) -> JSONValue {
        let expected = expected.elements ?? []
        return .array(
            (stack?.elements ?? []).enumerated().map { index, viewController in
                guard index < expected.count, expected[index].object != nil else {
                    return title(viewController)
                }
                return viewController.members(like: expected[index])
            })
    }

    private static func selected(
        in bar: JSONValue?, _ items: String, like expected: JSONValue
    ) -> JSONValue {
        guard let index = bar?["selectedIndex"]?.number else { return .null }
        if expected.number != nil { return .integer(index) }
        let items = bar?[items]?.elements ?? []
        return index < items.count ? items[index]["title"] ?? .null : .null
    }

    /// Returns the value at a dotted path such as `viewControllers.0.title`; nil if the document
    /// has no such value.
    static func value(at path: String, in document: JSONValue) -> JSONValue? {
        var value = document
        for name in path.split(separator: ".") {
            if let elements = value.elements {
                guard let index = Int(name), elements.indices.contains(index) else { return nil }
                value = elements[index]
            } else {
                guard let member = value[String(name)] else { return nil }
                value = member
            }
        }
        return value
    }
}

extension JSONValue {
    /// Returns the members of this object that an expected object names.
    fileprivate func members(like expected: JSONValue) -> JSONValue {
        let names = expected.object?.members.map(\.name) ?? []
        return .object(JSONObject(pairs: names.map { ($0, self[$0] ?? Findings.absent) }))
    }
}
