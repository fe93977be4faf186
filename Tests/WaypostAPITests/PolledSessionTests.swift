import Testing
import WaypostTesting

/// Tests of the cached JSON of sessions, which is encoded once for each revision.
@Suite(.timeLimit(.minutes(10))) struct PolledSessionTests {
    @Test("A polled session shows the state and the tag of its last change") func polling()
        async throws
    {
        let service = try TestService()
        let client = try await Client.loggedIn(service)
        for scene in ["authors", "books", "authors"] {
            let parameters = scene == "books" ? #", "parameters": {"author": "\#(author)"}"# : ""
            let change = try await client.send(
                "POST", "push", #"{"scene": "\#(scene)"\#(parameters)}"#)
            try #require(change.status == 200)
            for _ in 0..<3 {
                let answer = try await client.send("GET", "")
                #expect(answer.json == change.json["session"])
                #expect(answer.headers["ETag"] == change.headers["ETag"])
            }
        }
    }

    private let author = "jules-verne"

    /// The sessions exceed the capacity of the cache and evict each other.
    @Test("Each of 5,000 polled sessions shows its own state") func manySessions()
        async throws
    {
        let service = try TestService()
        var clients: [Client] = []
        for _ in 0..<5000 { clients.append(try await Client(service.api)) }
        for _ in 0..<2 {
            for client in clients {
                let answer = try await client.send("GET", "")
                guard answer.json["id"]?.text == client.id else {
                    Issue.record("\(client.id): \(answer.json)")
                    return
                }
            }
        }
    }
}
