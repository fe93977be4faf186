import JSON
import SessionStoreTesting
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests that hold for every list of the API: `?limit&after`, answered with `items` and `next`.
@Suite("Lists", .everyStore, .timeLimit(.minutes(10)))
struct ListTests {
    /// A list of the API, with a way to add items to it.
    enum List: String, CaseIterable {
        case authors, sessions, credentials, tokens, events, history, rows

        /// Whether new items come at the end, so that the pages show them.
        var growsAtEnd: Bool { self == .events || self == .history }
        /// The lists to which clients can add.
        static let growing = allCases.filter { $0 != .authors && $0 != .rows }

        /// Whether `after` is the number of an item.
        var hasNumbers: Bool { growsAtEnd || self == .rows }
    }

    private static let service = SharedService { try TestService() }

    /// A user with seven sessions, of which one has eight changes and four further tokens.
    private struct User {
        let client: Client
        let credential: String
        let login: String

        init() async throws {
            let api = try ListTests.service.get().api
            client = try await Client(api)
            login =
                #"{"username": "user-\#(client.id.prefix(12))", "password": "a long password"}"#
            credential = try #require(
                try await client.send("POST", "sign-up", login).json["credential"]?.text)
            for _ in 0..<6 {
                try await add(to: .sessions)
                try await add(to: .credentials)
                try await add(to: .history)
            }
            for _ in 0..<4 { try await add(to: .tokens) }
            // The top view controller is a table again.
            _ = try await client.send("POST", "pop-to-root")
        }

        func path(of list: List) -> (String, token: String?) {
            let account = "/v1/account"
            switch list {
            case .authors: return ("/v1/catalog/authors", nil)
            case .sessions: return ("\(account)/sessions", credential)
            case .credentials: return ("\(account)/credentials", credential)
            case .tokens: return ("\(account)/sessions/\(client.id)/tokens", credential)
            case .events, .history:
                return ("/v1/sessions/\(client.id)/\(list.rawValue)", client.token)
            case .rows: return ("/v1/sessions/\(client.id)/screen", client.token)
            }
        }

        func read(_ list: List, _ query: String) async throws -> Reply {
            let (path, token) = path(of: list)
            return try await client.api.send("GET", "\(path)?\(query)", token: token)
        }

        func add(to list: List) async throws {
            let status: Int
            switch list {
            // These lists stay as they are while the app runs.
            case .authors, .rows: return
            case .sessions:
                status = try await client.api.send(
                    "POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#
                ).status
            case .credentials:
                status = try await Client(client.api).send("POST", "log-in", login).status
            case .tokens:
                status = try await client.api.send(
                    "POST", path(of: .tokens).0, #"{"name": "phone"}"#, token: credential
                ).status
            case .events, .history:
                status = try await client.send("POST", "push", #"{"scene": "titles"}"#).status
            }
            try #require(status == 200 || status == 201)
        }

        /// Returns the items of all pages.
        /// - Parameter between: is called after each page but the last.
        func pages(
            of list: List, limit: Int, between: () async throws -> Void = {}
        ) async throws -> [JSONValue] {
            var items: [JSONValue] = []
            var after = ""
            while items.count < 2000 {
                let reply = try await read(list, "limit=\(limit)\(after)")
                try #require(reply.status == 200)
                let page = try #require(reply.json[list == .rows ? "rows" : "items"]?.elements)
                items += page
                guard let next = reply.json["next"]?.text else {
                    #expect(reply.json["next"] == .null && page.count <= limit)
                    break
                }
                #expect(page.count == limit)
                if list.hasNumbers { #expect(next == ids(page).last) }
                try await between()
                after = "&after=\(next)"
            }
            return items
        }
    }

    @Test("The pages of any limit together are the list at once", arguments: List.allCases)
    func pages(_ list: List) async throws {
        let user = try await User()
        let all = try await user.pages(of: list, limit: 1000)
        try #require(all.count > 3)
        #expect(Set(ids(all)).count == all.count)
        if list == .authors {
            #expect(try ids(all) == Self.service.get().catalog.authors.map(\.id))
        }
        let limits = [1, 2, 3, 5, all.count - 1, all.count, all.count + 1, 100]
        for limit in limits {
            let paged = try await user.pages(of: list, limit: limit)
            #expect(ids(paged) == ids(all), "limit=\(limit)")
        }
        // The default limit is 100.
        let first = try await user.read(list, "").json[list == .rows ? "rows" : "items"]
        #expect(ids(first?.elements ?? []) == ids(Array(all.prefix(100))))
    }

    @Test(
        "Items that are added between two pages hide none, and are on a page if they come later",
        arguments: List.growing, [1, 3])
    func growing(_ list: List, _ limit: Int) async throws {
        let user = try await User()
        let before = try await ids(user.pages(of: list, limit: 1000))
        var additions = 4
        let paged = try await ids(
            user.pages(of: list, limit: limit) {
                guard additions > 0 else { return }
                additions -= 1
                try await user.add(to: list)
            })
        #expect(Set(paged).count == paged.count)
        let known = Set(before)
        #expect(paged.filter(known.contains) == before)
        if list.growsAtEnd {
            #expect(paged == (try await ids(user.pages(of: list, limit: 1000))))
            #expect(paged.count > before.count)
        }
    }

    @Test(
        "A client that has all events or changes gets the later ones with the number of the last",
        arguments: [List.events, .history])
    func later(_ list: List) async throws {
        let user = try await User()
        let all = try await user.pages(of: list, limit: 1000)
        let last = try #require(ids(all).last)
        let end = try await user.read(list, "after=\(last)").json
        #expect(end["items"]?.count == 0 && end["next"] == .null)
        let unknown = try await user.read(list, "after=\(try #require(Int(last)) + 1)")
        #expect(unknown.status == 400 && unknown.code == "invalid-query")
        #expect(unknown.json["detail"]?.text?.contains("has the number \(last):") == true)
        try await user.add(to: list)
        let later = try await user.read(list, "after=\(last)").json["items"]?.elements ?? []
        #expect(!later.isEmpty)
        #expect(ids(all + later) == (try await ids(user.pages(of: list, limit: 1000))))
    }

    @Test(
        "An after that no page has named, an invalid limit and the former names are refused")
    func refusals() async throws {
        let user = try await User()
        for list in List.allCases { try await expectRefusals(of: list, user) }
    }

    private func expectRefusals(of list: List, _ user: User) async throws {
        let id = String(repeating: "0", count: 32)
        var queries = [
            "limit=0", "limit=1001", "limit=x", "limit=", "limit=1&limit=2", "after=", "after=-1",
            "after=nobody", "after=1-2", "after=1&after=2", "cursor=1", "offset=1", "page=2",
            "after=1-2-3", "after=-1-\(id)", "after=1-\(id.replacing("0", with: "g"))",
            "after=99999999999999999999-\(id)",
        ]
        queries +=
            list.hasNumbers
            ? ["after=1000000", "after=1.5", "after=%2B1", "after=0x1"] : ["after=1"]
        for query in queries {
            let reply = try await user.read(list, query)
            #expect(reply.status == 400 && reply.code == "invalid-query", "\(list) \(query)")
            let detail = reply.json["detail"]?.text ?? ""
            if query.hasPrefix("after="), !query.contains("&") {
                #expect(detail.contains("use `next` of the previous page"), "\(list) \(query)")
            }
        }
    }
}

/// Returns what identifies the items in their list.
private func ids(_ items: [JSONValue]) -> [String] {
    items.map { item in
        item["id"]?.text
            ?? "\(item["seq"]?.number ?? item["revision"]?.number ?? item["row"]?.number ?? -1)"
    }
}
