import Flows
import Foundation
import SessionStoreTesting
import Testing
import WaypostTesting

@testable import waypost

@Suite("Seeds") struct SeedTests {
    private static let account = "accounts: [{username: ada, password: a long password}]\n"

    private static func session(_ members: String) -> String {
        "sessions:\n  - {id: \"\(String(repeating: "0", count: 32))\", "
            + "token: wps_\(String(repeating: "0", count: 64))\(members)}"
    }

    @Test(
        "A file with a defect is refused with the line and the reason",
        arguments: [
            ("acounts: []", 1, "unknown key acounts of the file; did you mean accounts?"),
            ("- 1", 1, "expected the file with accounts, sessions"),
            ("accounts: {}", 1, "accounts: expected a list"),
            ("accounts:\n- &a {}\n- *a", 2, "the anchor &a is not allowed"),
            ("accounts: [ada]", 1, "expected an account with username, password"),
            ("accounts:\n  - {username: ada}", 2, "password is missing"),
            ("accounts:\n  - {username: ada, password: }", 2, "password: expected a text"),
            (
                "accounts:\n  - {username: a, password: b}\n  - {username: a, password: b}", 3,
                "the account a is listed twice: remove one"
            ),
            (
                "accounts:\n  - {username: ada, password: b}\n  - {username: Ada, password: c}", 3,
                "the account Ada is listed twice: remove one"
            ),
            ("sessions: [{}]", 1, "id is missing"),
            ("sessions: [{id: abc}]", 1, "id: expected 32 digits of 0-9 and a-f"),
            (
                "sessions: [{id: \"\(String(repeating: "0", count: 32))\", token: wps_1}]", 1,
                "token: expected wps_ and 64 digits of 0-9 and a-f"
            ),
            (session(", account: ada"), 2, "account: no account in this file has the username ada"),
            (session(", account: [ada]"), 2, "account: expected a text"),
            (session(", name: [x]"), 2, "name: expected a text"),
            (session(", name: null"), 2, "name: expected a text"),
            (session(", name: \"\""), 2, "name: expected 1 to 100 characters, found 0"),
            (
                session(", name: " + String(repeating: "a", count: 101)), 2,
                "name: expected 1 to 100 characters, found 101"
            ),
            (session(", name: \"a\\0b\""), 2, "name: expected no control characters"),
            (session(", open: [/authors]"), 2, "open: expected a text"),
            (session(", lifecycle: nativ"), 2, "lifecycle: expected forwarded or native"),
            (session(", strict: perhaps"), 2, "strict: expected true or false"),
            (session(", open: /authors/%00"), 2, "open: "),
            (session(", opens: /authors"), 2, "unknown key opens of a session; did you mean open?"),
            (
                session("") + "\n" + session("").split(separator: "\n")[1], 3,
                "the session 00000000000000000000000000000000 is listed twice: remove one"
            ),
        ])
    func defects(text: String, line: Int, reason: String) throws {
        let defect = try #require(throws: FileDefect.self) { try Seed(text, path: "seed.yaml") }
        #expect(defect.place.line == line)
        #expect(defect.reason.hasPrefix(reason))
    }

    @Test("An account of the seed has at most as many sessions as it can have credentials")
    func manySessions() throws {
        func text(_ count: Int) -> String {
            let sessions = (1...count).map { number in
                let digits = String(format: "%032x", number)
                return "  - {id: \"\(digits)\", token: wps_\(digits)\(digits), account: ADA}\n"
            }
            return Self.account + "sessions:\n" + sessions.joined()
        }
        _ = try Seed(text(100), path: "seed.yaml")
        let defect = try #require(throws: FileDefect.self) {
            try Seed(text(101), path: "seed.yaml")
        }
        #expect(defect.place.line == 103)
        #expect(defect.reason.hasPrefix("account: each session of an account needs a credential"))
    }

    @Test("A session of the seed that cannot be opened leaves its account's credentials alone")
    func failingSession() async throws {
        let service = try TestService()
        try await service.accounts.add("ada", "a long password")
        for _ in 0..<100 { _ = try await service.accounts.issueCredential(to: "ada") }
        let before = try await service.accounts.account("ada").credentials
        let text = Self.account + Self.session(", account: ada, open: /nothing")
        let seed = try Seed(text, path: "seed.yaml")
        await #expect(throws: FileDefect.self) {
            _ = try await seed.apply(to: service.accounts, service.directory)
        }
        #expect(try await service.accounts.account("ada").credentials == before)
        let whole = try Seed(Self.account + Self.session(", account: ada"), path: "seed.yaml")
        let counts = try await whole.apply(to: service.accounts, service.directory)
        #expect(counts.sessions == 1)
        let after = try await service.accounts.account("ada").credentials
        #expect(after.count == 100)
        #expect(after.first?.session == String(repeating: "0", count: 32))
    }

    @Test("An empty file is a seed of nothing", arguments: ["", "accounts:", "{}"])
    func empty(text: String) throws { _ = try Seed(text, path: "seed.yaml") }

    @Test(
        "The seed of the document has its account and session, on each store and after a restart",
        arguments: ["memory", "sqlite:$PWD/seeded.sqlite"])
    func document(store: String) async throws {
        let document = try String(
            contentsOf: Shell.checkout.appending(path: "docs/testing.md"), encoding: .utf8)
        let section = try #require(
            document.components(separatedBy: "\n## Accounts and sessions for tests\n").last)
        let seed = section.components(separatedBy: "```")[1].dropFirst("yaml\n".count)
        let result = try await Shell.run(
            """
            cat > seed.yaml << 'END'
            \(seed)
            END
            id=00000000000000000000000000000001
            token=wps_00000000000000000000000000000000$id
            call() { curl --silent $url/v1/sessions/$id$1 -H "Authorization: Bearer $token" "${@:2}"; }
            \(Script.serve)
            for start in 1 2; do
                : > serve.errors
                serve --store \(store) --seed seed.yaml
                call '' | jq -c '[.lifecycle, .auth.username, .viewControllers[].title]'
                call /push --json '{"scene": "titles"}' | jq .session.revision
                curl --silent -X POST $url/v1/sessions > opened
                path=$url/v1/sessions/$(jq -r .id opened)
                curl --silent $path/log-in -H "Authorization: Bearer $(jq -r .token opened)" \\
                    --json '{"username": "ada", "password": "correct horse battery staple"}' |
                    jq -c .session.auth.username
                kill $service; wait $service
                grep -o '"message":"seeded".*' serve.errors
            done
            """)
        let first = """
            ["native","ada","Authors","Jules Verne"]
            2
            "ada"
            "message":"seeded","accounts":1,"present":0,"sessions":1}

            """
        let again = """
            ["native","ada","Authors","Jules Verne","Titles"]
            3
            "ada"
            "message":"seeded","accounts":0,"present":2,"sessions":0}

            """
        #expect(result.output == first + (store == "memory" ? first : again))
    }

    @Test("A session of the seed is logged in to an account that has another password by now")
    func existingAccount() async throws {
        let result = try await Shell.run(
            """
            \(Script.serve)
            id=00000000000000000000000000000000; token=wps_$id$id
            call() { curl -s $url/v1/sessions/$id -H "Authorization: Bearer $token" "$@"; }
            account() { \(Shell.waypost) account "$1" --store $store "${@:2}"; }
            start() { serve --seed seed.yaml; call | jq -c '[.window.root, .auth.username]'; }
            finish() { kill $service; wait $service; }
            printf '%s' '\(Self.account)' '\(Self.session(", account: ada"))' > seed.yaml
            start
            call -X DELETE; echo 'other words entirely' | account reset-password ada > changed; finish
            start
            call -X DELETE; account disable ada > disabled; finish
            start; finish
            """)
        #expect(
            result.output == """
                ["app","ada"]
                ["app","ada"]
                ["login",null]

                """, "\(result.errors)")
    }

    @Test("A store that fails stops the start with the line and the reason of the failure")
    func failingStore() async throws {
        let store = try ScriptedStore()
        store.failCommits(ScriptedStore.failure)
        let service = try TestService(store: store)
        let seed = try Seed(Self.account, path: "seed.yaml")
        let defect = await #expect(throws: FileDefect.self) {
            _ = try await seed.apply(to: service.accounts, service.directory)
        }
        #expect(defect?.place.line == 1)
        #expect(defect?.reason.contains("(the disk is full)") == true)
    }

    @Test("What cannot be made stops the start with the line, and leaves no session")
    func impossible() async throws {
        let session = Self.session(", account: ada, open: /nothing")
        let result = try await Shell.run(
            """
            serve() {
              \(Shell.waypost) serve --port 0 --store sqlite:s.sqlite --log-format text --seed $1 2>&1
              echo $?
            }
            printf '%s' '\(Self.account)' '\(session)' > a.yaml
            printf '%s' 'accounts: [{username: ada, password: short}]' > b.yaml
            serve a.yaml; serve b.yaml; serve none.yaml
            \(Shell.waypost) store check --store sqlite:s.sqlite
            """)
        #expect(
            result.output == """
                a.yaml:3:5: no scene is at /nothing
                2
                b.yaml:1:12: /password: expected 8 to 256 bytes
                2
                none.yaml:1:1: cannot be read: name an existing file
                2
                s.sqlite: 0 sessions, 1 accounts

                """)
    }
}
