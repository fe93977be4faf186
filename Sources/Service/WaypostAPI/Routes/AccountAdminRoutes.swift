import HTTPCore
import JSON
import Sessions

/// The operator's routes for accounts, for example to add or disable an account. They are available
/// only on the admin socket, a local socket.
struct AccountAdminRoutes: Sendable {
    let accounts: AccountDirectory

    var routes: [Route] {
        [
            Route(.post, "/accounts/list", task: list),
            Route(.post, "/accounts/show", task: show),
            change("add", reading: entry) { accounts, body in
                try await accounts.add(body.username, body.password)
            },
            change("reset-password", reading: entry) { accounts, body in
                try await accounts.resetPassword(body.username, body.password)
            },
            change("disable", reading: username) { accounts, username in
                try await accounts.setDisabled(username, true)
            },
            change("enable", reading: username) { accounts, username in
                try await accounts.setDisabled(username, false)
            },
            change("remove", reading: username) { accounts, username in
                try await accounts.remove(username)
            },
        ]
    }

    private func list(_ context: Context) async throws -> Answer.DeferredResponse {
        let asked = try context.request.read { $0.page() }
        let found = try await accounts.list(after: asked.after, limit: asked.readLimit)
        return {
            .json { json in
                json.page(found, limit: asked.limit, at: \.username.text) { json, account in
                    json.object { $0.members(of: account) }
                }
            }
        }
    }

    private func show(_ context: Context) async throws -> Answer.DeferredResponse {
        let username = try context.request.read(username)
        let (account, credentials) = try await accounts.account(username)
        return {
            .object { json in
                json.object("account") { $0.members(of: account) }
                json.array("credentials", credentials) { $0.credential($1) }
            }
        }
    }

    @Sendable private func entry(
        _ body: inout BodyReader
    ) -> (username: String, password: String) {
        (body.string("username"), body.string("password"))
    }

    @Sendable private func username(_ body: inout BodyReader) -> String { body.string("username") }

    private func change<Body: Sendable>(
        _ name: String, reading decode: @escaping @Sendable (inout BodyReader) -> Body,
        _ perform: @escaping @Sendable (AccountDirectory, Body) async throws -> Void
    ) -> Route {
        Route(
            .post, "/accounts/\(name)",
            task: { context in
                try await perform(accounts, try context.request.read(decode))
                return { Response(.noContent) }
            })
    }
}

extension JSONWriter {
    fileprivate mutating func members(of account: Account) {
        member("username", account.username.text)
        member("createdAt", account.createdAt)
        member("isDisabled", account.isDisabled)
    }
}
