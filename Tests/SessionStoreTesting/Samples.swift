import NavigationRules
import Sessions
import Testing
import WaypostCore

/// Values to store. Equal arguments make equal values.
package enum Sample {
    package static let now = Timestamp(milliseconds: 1_700_000_000_000)
    /// A number that a floating-point number cannot hold exactly.
    package static let bigNumber = (1 << 53) + 1

    package static func id(_ number: Int) throws -> SessionID {
        try #require(SessionID(hexadecimal(0) + hexadecimal(UInt64(number))))
    }

    package static func hash(_ text: String) -> SecretHash { SecretHash(of: text) }

    package static func session(
        _ number: Int, _ window: StoredWindow = window(),
        expiresAt: Timestamp = now + .seconds(60),
        name: String? = nil, credential: SecretHash? = nil, refusal: CredentialRefusal? = nil
    ) throws -> StoredSession {
        StoredSession(
            id: try id(number), name: name, tokenHash: hash("token \(number)"),
            createdAt: Timestamp(milliseconds: 1_600_000_000_000 + number), expiresAt: expiresAt,
            window: window, credential: credential, credentialRefusal: refusal, logEnd: logEnd)
    }

    package static let logEnd = LogEnd(tailSize: 0, stateSize: nil)

    /// The log of a new session.
    static func log(
        of session: StorableSession, beginningWith events: [LifecycleEvent]
    ) -> LogWrite {
        let state = LogRow(state(of: session))
        let records = events.isEmpty ? [] : row(events).records
        return LogWrite(
            movesTail: false,
            tail: LogRow(
                first: state.first, last: state.last,
                firstEvent: events.first?.seq ?? 1, hasState: true,
                records: state.records + records))
    }

    /// Events, and the state after them. They are rows of their own if they continue the log, as
    /// those of a service do, so that many changes make no long tail. Otherwise they are for the
    /// tail.
    static func log(of session: StorableSession, after events: [LifecycleEvent]) -> LogWrite {
        let state = state(of: session)
        var tail = LogRow(state)
        if let first = events.first, first.revision == state.revision, first.revision > 1,
            events.last?.seq == state.window.lastEvent
        {
            return LogWrite(movesTail: true, rows: [row(events)], tail: tail)
        }
        if !events.isEmpty {
            let state = tail
            tail = row(events)
            tail.append(state)
        }
        return LogWrite(movesTail: false, tail: tail)
    }

    private static func row(_ events: [LifecycleEvent]) -> LogRow {
        LogRow(
            [.events(events)], revision: events.first?.revision ?? 1,
            firstEvent: events.first?.seq ?? 1)
    }

    package static func state(of session: StorableSession) -> LogState {
        let stored = session.stored(.first, logEnd)
        return LogState(
            window: stored.window, expiresAt: stored.expiresAt, credential: stored.credential,
            credentialRefusal: stored.credentialRefusal)
    }

    package static func events(_ numbers: ClosedRange<Int>, revision: Int = 1) -> [LifecycleEvent] {
        numbers.map { number in
            LifecycleEvent(
                seq: number, revision: revision,
                kind: LifecycleEvent.Kind.allCases[number % LifecycleEvent.Kind.allCases.count],
                viewController: ViewController.ID(number: number * 3),
                scene: number.isMultiple(of: 2) ? "home" : "détail \"2\"",
                animated: number.isMultiple(of: 3))
        }
    }

    package static func account(_ name: String, password: String = "$argon2id$…") throws -> Account
    {
        Account(
            username: try Username(name), password: PasswordHash(text: password), createdAt: now)
    }

    package static func credential(
        _ text: String, of name: String = "Ada", expiresAt: Timestamp = now + .seconds(60)
    ) throws -> Credential {
        Credential(
            hash: hash(text), username: try Username(name), session: "session of \(text)",
            createdAt: now, expiresAt: expiresAt)
    }

    package static func idempotencyRecord(
        _ text: String, of session: SessionID? = nil, response: [UInt8] = [1, 2, 3],
        requestSize: Int = 300, expiresAt: Timestamp = now + .seconds(60)
    ) -> IdempotencyRecord {
        IdempotencyRecord(
            id: hash("id \(text)"), fingerprint: hash("request \(text)"), session: session,
            sealedResponse: response, requestSize: requestSize, expiresAt: expiresAt)
    }
}

// MARK: - Windows

extension Sample {
    package static func window(
        revision: Int = 1, lastEvent: Int = 5, auth: Auth = .loggedOut,
        stack: [StoredWindow.Entry] = [entry(1)], segments: StoredWindow.SegmentRoots? = nil,
        pending: PendingAction? = nil, flags: [String: Bool] = [:]
    ) -> StoredWindow {
        StoredWindow(
            lifecycle: .forwarded, revision: revision, auth: auth, stack: stack,
            segments: segments, pending: pending, flags: flags,
            lastEvent: lastEvent, lastViewController: stack.map(\.number).max() ?? 0)
    }

    package static func entry(
        _ number: Int, _ parameters: Parameters = [:], isViewLoaded: Bool = true,
        _ changes: ViewControllerChanges = ViewControllerChanges()
    ) -> StoredWindow.Entry {
        StoredWindow.Entry(
            number: number, scene: "scene \(number)", parameters: parameters,
            isViewLoaded: isViewLoaded, changes: changes)
    }

    /// Windows with every property, and with texts and numbers that are easy to get wrong.
    package static var windows: [StoredWindow] {
        [
            window(),
            window(auth: .loggedIn(username: nil)),
            window(auth: .loggedIn(username: "Ada.Løvelace-1@例え")),
            window(
                auth: .loggedIn(username: "null"),
                stack: texts.enumerated().map { number, text in
                    entry(
                        number + 1, ["text": text, "\(number) \(text.prefix(20))": "nul\0byte"],
                        isViewLoaded: number.isMultiple(of: 2),
                        ViewControllerChanges(title: .some(text + "\0")))
                }),
            window(stack: changes.enumerated().map { entry($0 + 1, $1) }),
            window(stack: (1...1000).map { entry($0, ["number": String($0)]) }),
            window(pending: PendingAction(link: "/a%2Fb/c%20d")),
            window(pending: PendingAction(link: "/")),
            window(auth: .guest),
            window(
                auth: .guest,
                pending: PendingAction(
                    viewController: ViewController.ID(number: 1),
                    Operation(TapControl(title: "Été \"1\"", in: .row)), animated: false)),
            window(auth: .guest, pending: PendingAction(Operation(TapTab(2)))),
            window(flags: ["paid": true, "tour": false]),
            StoredWindow(
                lifecycle: .native, revision: bigNumber, auth: .loggedIn(username: "Ada"),
                stack: [entry(7), entry(bigNumber, isViewLoaded: false)],
                segments: .init(
                    selectedIndex: 2, roots: [bigNumber - 1, nil, 7, 9, nil],
                    kept: [
                        entry(
                            bigNumber - 1, ["n": ""],
                            ViewControllerChanges(title: .some(nil), hidesBottomBarWhenPushed: true)
                        ),
                        entry(9),
                    ]),
                pending: nil, lastEvent: bigNumber, lastViewController: bigNumber),
            window(segments: .init(selectedIndex: 0, roots: [1, nil, nil], kept: [])),
            layered,
            StoredWindow(
                lifecycle: .native, isStrict: true, revision: 3, auth: .loggedOut,
                stack: [entry(4)], navigationController: 6, lastNavigationController: bigNumber,
                segments: nil, pending: nil, lastEvent: 9, lastViewController: 5),
        ]
    }

    /// A window with tabs, one of them bare, and layers with and without a presenter.
    private static var layered: StoredWindow {
        typealias Layer = StoredWindow.Layer
        return StoredWindow(
            lifecycle: .native, revision: 12, auth: .loggedIn(username: "Ada"), stack: [],
            layers: [
                Layer(
                    presentationStyle: nil, presenter: nil, isContainerModal: false,
                    tabBar: "tabs \"1\"", tabScenes: ["a \"1\"", "b"], selectedIndex: 1,
                    stacks: [
                        .init(number: 2, isBare: false, stack: [entry(2), entry(5)]),
                        .init(number: 3, isBare: true, stack: [entry(3)]),
                    ]),
                Layer(
                    presentationStyle: .overCurrentContext, presenter: 3, isContainerModal: true,
                    tabBar: nil, selectedIndex: 0,
                    stacks: [
                        .init(
                            number: 7, isBare: false,
                            stack: [
                                entry(
                                    8, ["n": "1"],
                                    ViewControllerChanges(
                                        isModalInPresentation: true,
                                        tabBarItem: TabBarItemChanges(
                                            title: .some(nil), badge: "9")))
                            ])
                    ]),
                Layer(
                    presentationStyle: .pageSheet, presenter: nil, isContainerModal: false,
                    tabBar: nil, selectedIndex: 0,
                    stacks: [.init(number: bigNumber, isBare: true, stack: [entry(bigNumber)])]),
            ], lastNavigationController: bigNumber, segments: nil, pending: nil, lastEvent: 40,
            lastViewController: bigNumber)
    }

    private static func entry(
        _ number: Int, _ parameters: Parameters, _ changes: ViewControllerChanges
    ) -> StoredWindow.Entry {
        entry(number, parameters, isViewLoaded: true, changes)
    }

    private static func entry(_ number: Int, _ changes: ViewControllerChanges)
        -> StoredWindow.Entry
    {
        entry(number, [:], isViewLoaded: true, changes)
    }

    private static let texts = [
        "", " ", "null", "0", "a\"b'c\\d", "line\nline\r\n\ttab", "é e\u{301}", "👩‍👩‍👧", "\u{7F}\u{1}",
        "{\"a\": [1]}", "'; DROP TABLE sessions; --", String(repeating: "long ", count: 1000),
    ]

    /// Changes of single properties: unchanged, removed, empty, set.
    private static var changes: [ViewControllerChanges] {
        typealias Item = NavigationItemChanges
        let texts: [String??] = [nil, .some(nil), .some(""), .some("text")]
        let flags: [Bool?] = [nil, false, true]
        let lists: [[String]?] = [nil, [], [""], ["one", "two"]]
        return texts.map { ViewControllerChanges(title: $0) }
            + texts.map { ViewControllerChanges(navigationItem: Item(title: $0)) }
            + texts.map { ViewControllerChanges(navigationItem: Item(backButtonTitle: $0)) }
            + flags.map { ViewControllerChanges(navigationItem: Item(hidesBackButton: $0)) }
            + lists.map { ViewControllerChanges(navigationItem: Item(leftItems: $0)) }
            + flags.map {
                ViewControllerChanges(navigationItem: Item(leftItemsSupplementBackButton: $0))
            }
            + lists.map { ViewControllerChanges(navigationItem: Item(rightItems: $0)) }
            + flags.map { ViewControllerChanges(hidesBottomBarWhenPushed: $0) }
            + texts.map { ViewControllerChanges(bottomBarText: $0) }
            + lists.map { ViewControllerChanges(toolbarItems: $0) }
    }
}
