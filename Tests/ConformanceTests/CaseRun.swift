import JSON
import Testing

/// Runs one case. After every step it checks besides what the case expects: an error changes
/// nothing; the revision grows by one exactly when something changed; event numbers have no gaps;
/// no instance is twice on the stack; the answer's session is the one that a read gives.
struct CaseRun {
    private let driver: any Driver
    private var labels: [String: String] = [:]
    private var instances: [String: Int] = [:]
    private var session: JSONValue
    private var log: [JSONValue]

    static func run(_ aCase: Case, on driver: any Driver) async throws {
        try #require(aCase.unknownMembers == [], "\(aCase.id) has unknown members")
        var run = CaseRun(
            driver: driver, session: try await driver.session(), log: try await driver.events())
        run.label(run.session["viewControllers"])
        for (index, step) in aCase.steps.enumerated() {
            try await run.take(step, "\(aCase.id), step \(index + 1) (\(step.operation))")
        }
    }

    private init(driver: any Driver, session: JSONValue, log: [JSONValue]) {
        self.driver = driver
        self.session = session
        self.log = log
    }

    private mutating func take(_ step: Case.Step, _ place: Comment) async throws {
        let isStart = step.operation == "start"
        let answer =
            isStart
            ? Answer(status: 200, body: .object(JSONObject()))
            : try await driver.perform(filled(step.operation), filled(step.body))
        let before = session
        session = try await driver.session()
        let newLog = try await driver.events()
        try #require(Array(newLog.prefix(log.count)) == log, place)
        let events = isStart ? newLog : Array(newLog[log.count...])
        log = newLog
        #expect(answer.status == step.expected["status"].map(\.number) ?? 200, place)
        if answer.status >= 400 {
            #expect(session == before, place)
            #expect(events.isEmpty, place)
        } else if !isStart {
            checkSuccess(answer, before: before, events: events, place)
        }
        label(session["viewControllers"])
        checkAlways(place)
        checkExpected(step.expected, answer, events, place)
    }

    private mutating func checkSuccess(
        _ answer: Answer, before: JSONValue, events: [JSONValue], _ place: Comment
    ) {
        let growth = answer.body["changed"] == .boolean(true) ? 1 : 0
        #expect(session["revision"]?.number == (before["revision"]?.number ?? 0) + growth, place)
        #expect(answer.body["session"] == session, place)
        #expect(answer.body["events"]?.elements == events, place)
        label(answer.body["popped"])
    }

    private func checkAlways(_ place: Comment) {
        let ids = session["viewControllers"]?.elements?.compactMap { $0["id"]?.text } ?? []
        #expect(!ids.isEmpty, place)
        #expect(Set(ids).count == ids.count, place)
        #expect(log.map { $0["seq"]?.number } == (1...log.count).map { $0 }, place)
    }

    private func checkExpected(
        _ expected: JSONObject, _ answer: Answer, _ events: [JSONValue], _ place: Comment
    ) {
        for name in ["code", "changed", "transition"] {
            guard let value = expected[name] else { continue }
            #expect(answer.body[name] == value, place)
        }
        if let stack = expected["stack"] {
            #expect(.string(spelled(session["viewControllers"])) == stack, place)
        }
        if let popped = expected["popped"] {
            #expect(.string(spelled(answer.body["popped"])) == popped, place)
        }
        if let expectedEvents = expected["events"] {
            #expect(.string(events.map(spelled).joined(separator: " ")) == expectedEvents, place)
        }
        if let animated = expected["animated"] {
            #expect(!events.isEmpty && events.allSatisfy { $0["animated"] == animated }, place)
        }
        switch expected["session"] {
        case nil: break
        case .object(let paths):
            for member in paths.members {
                let found = value(at: member.name) ?? .string("absent")
                #expect(found == member.value, "\(place), \(member.name)")
            }
        default: Issue.record("\(place): session is not an object")
        }
    }

    // MARK: Labels

    private mutating func label(_ viewControllers: JSONValue?) {
        for viewController in viewControllers?.elements ?? [] {
            guard let id = viewController["id"]?.text, let scene = viewController["scene"]?.text,
                labels[id] == nil
            else { continue }
            let number = (instances[scene] ?? 0) + 1
            instances[scene] = number
            labels[id] = number == 1 ? scene : "\(scene)#\(number)"
        }
    }

    /// `text` with the id that it stands for, if it is a label; an id that nothing has if nothing
    /// is labelled so.
    private func filled(_ text: String) -> String {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return text }
        let id = labels.first { $0.value == parts[1] }?.key
        return parts[0] + (id ?? "vc-\(parts[1])")
    }

    private func filled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(filled(text))
        case .array(let elements): .array(elements.map(filled))
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { .init(name: $0.name, value: filled($0.value)) }))
        default: value
        }
    }

    private func spelled(_ viewControllers: JSONValue?) -> String {
        (viewControllers?.elements ?? [])
            .map { $0["id"]?.text.flatMap { labels[$0] } ?? "?" }.joined(separator: " ")
    }

    private static let shortNames = [
        "viewDidLoad": "L", "willShow": "wS", "didShow": "dS", "viewWillAppear": "wA",
        "viewDidAppear": "dA", "viewWillDisappear": "wD", "viewDidDisappear": "dD",
    ]

    private func spelled(_ event: JSONValue) -> String {
        let name = event["event"]?.text.flatMap { Self.shortNames[$0] } ?? "?"
        return name + ":" + (event["viewController"]?.text.flatMap { labels[$0] } ?? "?")
    }

    private func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(session as JSONValue?) { node, part in
            if let elements = node?.elements {
                Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                node?[String(part)]
            }
        }
    }
}
