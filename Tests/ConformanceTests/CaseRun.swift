import JSON
import Testing

/// Runs one case. After every step it checks besides what the case expects:
///
/// - an error changes nothing; the revision grows by one exactly when something changed,
/// - event numbers have no gaps; the answer's session is the one that a read gives,
/// - no instance is in two places; ids of navigation controllers are never used again; a presenter
///   is in the layer below; the last layer is the one that the session shows,
/// - the view controllers that came on screen or left it have exactly their events, in an order that
///   each can have; `transition` and `popped` are the ones that the layers tell.
struct CaseRun {
    private let driver: any Driver
    private let storyboard: String
    private let uikit: Int?
    private var labels: [String: String] = [:]
    private var instances: [String: Int] = [:]
    /// The navigation controller that each view controller is on, or was on last.
    private var homes: [String: String] = [:]
    /// The navigation controllers that are no more.
    private var ended: Set<String> = []
    private var session: JSONValue
    private var layers: LayerList
    private var appearances = Appearances()
    private var log: [JSONValue]

    static func run(_ aCase: Case, on driver: any Driver) async throws {
        try #require(aCase.unknownMembers == [], "\(aCase.id) has unknown members")
        let layers = try await driver.read("layers").body["layers"]
        var run = CaseRun(
            driver: driver, storyboard: aCase.storyboard, uikit: aCase.uikit,
            session: try await driver.session(),
            layers: try #require(LayerList(layers), "\(aCase.id)"), log: try await driver.events())
        run.label(run.layers.viewControllers)
        run.checkEvents(run.log, from: nil, "\(aCase.id), the start")
        run.checkAlways("\(aCase.id), the start")
        for (index, step) in aCase.steps.enumerated() {
            try await run.take(step, "\(aCase.id), step \(index + 1) (\(step.operation))")
        }
    }

    private init(
        driver: any Driver, storyboard: String, uikit: Int?, session: JSONValue,
        layers: LayerList, log: [JSONValue]
    ) {
        self.driver = driver
        self.storyboard = storyboard
        self.uikit = uikit
        self.session = session
        self.layers = layers
        self.log = log
    }

    private mutating func take(_ step: Case.Step, _ place: Comment) async throws {
        let isChange = !["start", "restart"].contains(step.operation) && step.readName == nil
        let answer = try await answer(to: step)
        let (before, layersBefore) = (session, layers)
        session = try await driver.session()
        layers = try #require(
            LayerList(try await driver.read("layers").body["layers"]), place)
        let newLog = try await driver.events()
        try #require(Array(newLog.prefix(log.count)) == log, place)
        let events = step.operation == "start" ? newLog : Array(newLog[log.count...])
        log = newLog
        let statuses = step.expected["status"].map { $0.elements ?? [$0] } ?? [.integer(200)]
        #expect(statuses.contains(.integer(answer.status)), place)
        if step.expected["unchanged"] == .boolean(true) {
            #expect(session.without("revision") == before.without("revision"), place)
        }
        if step.operation == "restart" {
            checkRestart(
                before: before, layersBefore, events, hasOtherFlags: step.body["storyboard"] != nil,
                place)
        } else if !isChange || answer.status >= 400 {
            #expect(session == before, place)
            #expect(layers == layersBefore, place)
            #expect(step.operation == "start" || events.isEmpty, place)
        } else {
            checkSuccess(answer, of: step, before: before, layersBefore, events: events, place)
        }
        label(layers.viewControllers)
        checkAlways(place)
        checkExpected(step.expected, answer, events, place)
        try await checkTaps(step.expected["taps"], place)
    }

    private func answer(to step: Case.Step) async throws -> Answer {
        switch step.operation {
        case "start": break
        case "restart": try await driver.restart(step.body["storyboard"]?.text ?? storyboard)
        default:
            if let name = step.readName { return try await driver.read(name) }
            return try await driver.perform(filled(step.operation), filled(step.body))
        }
        return Answer(status: 200, body: .object(JSONObject()))
    }

    /// A restart changes nothing, or leads to a fresh root, which is the next revision.
    /// - Parameter hasOtherFlags: whether the storyboard is another one, which can have other flags.
    private mutating func checkRestart(
        before: JSONValue, _ old: LayerList, _ events: [JSONValue], hasOtherFlags: Bool,
        _ place: Comment
    ) {
        if layers == old {
            let name = hasOtherFlags ? "flags" : ""
            #expect(session.without(name) == before.without(name), place)
            #expect(events.isEmpty, place)
        } else {
            #expect(session["revision"]?.number == (before["revision"]?.number ?? 0) + 1, place)
            #expect(Set(layers.ids).isDisjoint(with: labels.keys), place)
            appearances.restart()
            checkEvents(events, from: nil, place)
        }
    }

    private mutating func checkSuccess(
        _ answer: Answer, of step: Case.Step, before: JSONValue, _ old: LayerList,
        events: [JSONValue], _ place: Comment
    ) {
        let hasChanged = answer.body["changed"] == .boolean(true)
        let revision = (before["revision"]?.number ?? 0) + (hasChanged ? 1 : 0)
        #expect(session["revision"]?.number == revision, place)
        #expect(hasChanged || session == before, place)
        #expect(answer.body["session"] == session, place)
        #expect(answer.body["events"]?.elements == events, place)
        let popped = answer.body["popped"]?.elements ?? []
        label(popped)
        #expect(popped.compactMap { $0["id"]?.text } == old.ids(missingFrom: layers), place)
        let isNewRoot =
            session["window"] != before["window"]
            || before.isLoggedIn && !session.isLoggedIn
        let transition = layers.transition(from: old, isNewRoot: isNewRoot)
        #expect(answer.body["transition"] == .string(transition), place)
        checkEvents(
            events, from: old, cancelsSwipe: step.cancelsSwipe,
            coversNewRoot: step.coversNewRoot && uikit == 17,
            place)
        if step.cancelsSwipe { #expect(hasChanged && layers.ids == old.ids, place) }
    }

    private mutating func checkEvents(
        _ events: [JSONValue], from old: LayerList?, cancelsSwipe: Bool = false,
        coversNewRoot: Bool = false, _ place: Comment
    ) {
        var expected =
            cancelsSwipe
            ? appearances.expectedOfCancelledSwipe(in: layers.active.ids)
            : appearances.expected(from: old, to: layers)
        if coversNewRoot { expected += layers.active.ids.prefix(1).map { "viewDidLoad \($0)" } }
        let found = events.compactMap { event in
            let name = event["event"]?.text ?? "?"
            let isUsual = Self.usualNames.contains(Self.shortNames[name] ?? name)
            return isUsual ? "\(name) \(event["viewController"]?.text ?? "?")" : nil
        }
        #expect(found.sorted() == expected.sorted(), place)
        #expect(Set(events.map { $0["animated"]?.flag }).count < 2, place)
        #expect(appearances.follow(events, cancelsSwipe: cancelsSwipe) == nil, place)
    }

    private mutating func checkAlways(_ place: Comment) {
        #expect(layers.defect == nil, place)
        let present = Set(layers.holders.map(\.id))
        #expect(ended.isDisjoint(with: present), place)
        ended.formUnion(Set(homes.values).subtracting(present))
        for holder in layers.holders {
            for id in holder.ids { homes[id] = holder.id }
        }
        #expect(appearances.onScreen == layers.onScreen, place)
        for viewController in layers.viewControllers {
            let id = viewController["id"]?.text ?? ""
            let isLoaded = viewController["isViewLoaded"]?.flag
            #expect(isLoaded == appearances.loaded.contains(id), place)
        }
        #expect(session["viewControllers"]?.elements == layers.active.viewControllers, place)
        #expect((session["navigationBar"] == .null) == layers.active.isBare, place)
        let isPlain = layers.holders.count == 1 && !layers.active.isBare
        #expect((session["layers"] == .null) == isPlain, place)
        #expect(isPlain || LayerList(session["layers"]) == layers, place)
        #expect((session["tabBar"] != .null) == layers.layers.last?.hasTabBar, place)
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
            let kinds = expected["kinds"]?.text?.split(separator: " ")
            let spelled = events.map(spelled).filter { event in
                kinds?.contains(event.prefix { $0 != ":" }) ?? true
            }
            #expect(.string(spelled.joined(separator: " ")) == expectedEvents, place)
        }
        if let animated = expected["animated"] {
            #expect(!events.isEmpty && events.allSatisfy { $0["animated"] == animated }, place)
        }
        if let expectedLayers = expected["layers"] {
            #expect(.string(drawn(layers)) == expectedLayers, place)
        }
        if let layout = expected["layout"] {
            #expect(.string(drawn(layers, withPresenters: false)) == layout, place)
        }
        if let titles = expected["titles"] {
            let found = session["viewControllers"]?.elements?.map { $0["title"] ?? .null }
            #expect(.array(found ?? []) == titles, place)
        }
        if let visible = expected["visible"] {
            #expect(.string(labels[layers.visible] ?? "?") == visible, place)
        }
        if let tab = expected["tab"] {
            #expect(session["tabBar"]?["selectedIndex"] ?? .null == tab, place)
        }
        if let style = expected["presentation"] {
            #expect(layers.layers.last?.style.map(JSONValue.string) ?? .null == style, place)
        }
        check(expected["session"].map { filled($0) }, in: session, place)
        check(expected["answer"], in: answer.body, place)
    }

    /// Checks the values at dotted paths.
    private func check(_ paths: JSONValue?, in document: JSONValue, _ place: Comment) {
        switch paths {
        case nil: break
        case .object(let paths):
            for member in paths.members {
                let found = value(at: member.name, in: document) ?? .string("absent")
                #expect(found == filled(member.value), "\(place), \(member.name)")
            }
        default: Issue.record("\(place): expected an object of dotted paths")
        }
    }

    /// Checks what can be tapped; `place index title`, and `> segue` where there is one.
    private func checkTaps(_ expected: JSONValue?, _ place: Comment) async throws {
        guard let expected else { return }
        let taps = try await driver.read("screen").body["taps"]?.elements
        let spelled = taps?.map { tap in
            let segue = tap["segue"]?.text.map { " > \($0)" } ?? ""
            return "\(tap["place"]?.text ?? "?") \(tap["index"]?.number ?? -1) "
                + "\(tap["title"]?.text ?? "?")\(segue)"
        }
        #expect(.string(spelled?.joined(separator: ", ") ?? "?") == expected, place)
    }

    // MARK: Labels

    private mutating func label(_ viewControllers: [JSONValue]) {
        for viewController in viewControllers {
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

    /// - Parameter name: the member whose value this is.
    private func filled(_ value: JSONValue, of name: String? = nil) -> JSONValue {
        switch value {
        case .string(let text) where name == "navigationController" && text.hasPrefix("@"):
            .string(homes[filled(text)] ?? "nc-\(text.dropFirst())")
        case .string(let text): .string(filled(text))
        case .array(let elements): .array(elements.map { filled($0) })
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map {
                        .init(name: $0.name, value: filled($0.value, of: $0.name))
                    }))
        default: value
        }
    }

    private func spelled(_ viewControllers: JSONValue?) -> String {
        (viewControllers?.elements ?? [])
            .map { $0["id"]?.text.flatMap { labels[$0] } ?? "?" }.joined(separator: " ")
    }

    private func drawn(_ layers: LayerList, withPresenters: Bool = true) -> String {
        layers.layers.map { layer in
            let holders = layer.holders.enumerated().map { index, holder in
                let names = holder.ids.map { labels[$0] ?? "?" }.joined(separator: " ")
                let mark = layer.hasTabBar && index == layer.selectedIndex ? "*" : ""
                return mark + (holder.isBare ? "(\(names))" : "[\(names)]")
            }
            let presenter = layer.presenter.map { labels[$0] ?? "?" } ?? "nobody"
            let start = layer.style.map { style in
                withPresenters
                    ? "\(style)\(layer.isModal ? "!" : "") by \(presenter) " : "\(style) "
            }
            return (start ?? "") + holders.joined(separator: " ")
        }.joined(separator: " / ")
    }

    private static let shortNames = [
        "viewDidLoad": "L", "willShow": "wS", "didShow": "dS", "viewWillAppear": "wA",
        "viewDidAppear": "dA", "viewWillDisappear": "wD", "viewDidDisappear": "dD",
        "viewIsAppearing": "iA", "presentationControllerShouldDismiss": "pS",
        "presentationControllerWillDismiss": "pW", "presentationControllerDidDismiss": "pD",
        "shouldSelect": "tS", "didSelect": "tD",
    ]
    /// The events of every app; those of the groups that a storyboard can name are others.
    private static let usualNames: Set = ["L", "wS", "dS", "wA", "dA", "wD", "dD"]

    private func spelled(_ event: JSONValue) -> String {
        let name = event["event"]?.text.flatMap { Self.shortNames[$0] } ?? "?"
        return name + ":" + (event["viewController"]?.text.flatMap { labels[$0] } ?? "?")
    }

    private func value(at path: String, in document: JSONValue) -> JSONValue? {
        path.split(separator: ".").reduce(document as JSONValue?) { node, part in
            if let elements = node?.elements {
                Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                node?[String(part)]
            }
        }
    }
}

extension JSONValue {
    /// Whether the session with this JSON has a user who is logged in.
    fileprivate var isLoggedIn: Bool { self["auth"]?["state"] == .string("loggedIn") }

    fileprivate func without(_ name: String) -> [JSONObject.Member]? {
        guard case .object(let object) = self else { return nil }
        return object.members.filter { $0.name != name }
    }
}

extension Case.Step {
    fileprivate var cancelsSwipe: Bool {
        operation == "swipe-back" && body["completed"] == .boolean(false)
    }

    /// Whether the step is the batch after which UIKit 17 loads the view of a root that an animated
    /// push covers.
    fileprivate var coversNewRoot: Bool {
        let operations = body["operations"]?.elements ?? []
        return operations.count == 2 && operations[0]["set-root-view-controller"] != nil
            && operations[1]["push"]?["animated"] == .boolean(true)
    }

    /// The name in `get NAME`; nil for another step.
    fileprivate var readName: String? {
        operation.hasPrefix("get ") ? String(operation.dropFirst("get ".count)) : nil
    }
}
