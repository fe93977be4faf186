import HTTPCore
import WaypostAPI

/// The routes, and the clients that may use them.
extension MatrixTests {
    /// The clients that may use a route.
    enum Door {
        case everybody
        /// Clients with the session's token; `atLogin` if the route is useful only at the login
        /// root; `refusal` is the code of the problem if the screen of the Library refuses it.
        case session(body: String = "", atLogin: Bool = false, refusal: String? = nil)
        /// Clients with a valid credential of the account.
        case account(body: String = "")
    }

    static let password = "a long password"
    static let entry = #"{"username": "NEW", "password": "\#(password)"}"#

    /// All routes. A route that is missing here fails a test; add it with the clients that may use
    /// it.
    static let doors: [String: Door] = [
        "GET /livez": .everybody,
        "GET /metrics": .everybody,
        "GET /readyz": .everybody,
        "GET /": .everybody,
        "GET /inspector": .everybody,
        "GET /inspector/{file}": .everybody,
        "GET /inspector/ways/{scene}": .everybody,
        "GET /openapi.yaml": .everybody,
        "GET /problems/{code}": .everybody,
        "GET /v1/catalog/authors": .everybody,
        "GET /v1/catalog/authors/{author}": .everybody,
        "GET /v1/catalog/authors/{author}/books/{book}": .everybody,
        "GET /v1/catalog/authors/{author}/books/{book}/cover": .everybody,
        "GET /v1/images/{image}": .everybody,
        "GET /v1/storyboard": .everybody,
        "POST /v1/sessions": .everybody,
        "GET /v1/sessions/{session}": .session(),
        "DELETE /v1/sessions/{session}": .session(),
        "PATCH /v1/sessions/{session}": .session(body: #"{"name": "changed"}"#),
        "GET /v1/sessions/{session}/view-controllers": .session(),
        "GET /v1/sessions/{session}/screen": .session(),
        "GET /v1/sessions/{session}/events": .session(),
        "GET /v1/sessions/{session}/history": .session(),
        "GET /v1/sessions/{session}/flow": .session(),
        "GET /v1/sessions/{session}/changes": .session(),
        "POST /v1/sessions/{session}/push": .session(body: #"{"scene": "titles"}"#),
        "POST /v1/sessions/{session}/pop": .session(),
        "POST /v1/sessions/{session}/pop-to": .session(body: #"{"viewController": "VC"}"#),
        "POST /v1/sessions/{session}/pop-to-root": .session(),
        "POST /v1/sessions/{session}/back": .session(),
        "POST /v1/sessions/{session}/set-view-controllers": .session(
            body: #"{"viewControllers": [{"scene": "titles"}]}"#),
        "PATCH /v1/sessions/{session}/view-controllers/{viewController}": .session(
            body: #"{"title": "changed"}"#),
        "POST /v1/sessions/{session}/set-root-view-controller": .session(
            body: #"{"scene": "titles"}"#),
        "POST /v1/sessions/{session}/select-row": .session(body: #"{"row": 0}"#),
        "POST /v1/sessions/{session}/select-segment": .session(body: #"{"index": 1}"#),
        "POST /v1/sessions/{session}/open": .session(body: #"{"path": "/titles"}"#),
        "GET /v1/sessions/{session}/layers": .session(),
        "POST /v1/sessions/{session}/present": .session(body: #"{"scene": "titles"}"#),
        "POST /v1/sessions/{session}/dismiss": .session(),
        "POST /v1/sessions/{session}/swipe-back": .session(),
        "POST /v1/sessions/{session}/swipe-down": .session(refusal: "not-dismissible"),
        "POST /v1/sessions/{session}/select-tab": .session(
            body: #"{"index": 1}"#, refusal: "no-tab-bar"),
        "POST /v1/sessions/{session}/tap-tab": .session(
            body: #"{"index": 1}"#, refusal: "no-tab-bar"),
        "POST /v1/sessions/{session}/perform-segue": .session(
            body: #"{"identifier": "next"}"#, refusal: "segue-not-found"),
        "POST /v1/sessions/{session}/tap": .session(body: #"{"place": "row", "index": 0}"#),
        "POST /v1/sessions/{session}/show": .session(body: #"{"scene": "titles"}"#),
        "POST /v1/sessions/{session}/unwind": .session(body: #"{"viewController": "VC"}"#),
        "POST /v1/sessions/{session}/set-flags": .session(
            body: #"{"flags": {"none": true}}"#, refusal: "flag-not-found"),
        "POST /v1/sessions/{session}/batch": .session(
            body: #"{"operations": [{"push": {"scene": "titles"}}]}"#),
        "POST /v1/sessions/{session}/sign-up": .session(body: entry, atLogin: true),
        "POST /v1/sessions/{session}/log-in": .session(
            body: #"{"username": "ada", "password": "\#(password)"}"#, atLogin: true),
        "POST /v1/sessions/{session}/log-out": .session(),
        "GET /v1/account": .account(),
        "POST /v1/account/delete": .account(body: #"{"password": "\#(password)"}"#),
        "PUT /v1/account/password": .account(
            body: #"{"oldPassword": "\#(password)", "newPassword": "a longer password"}"#),
        "GET /v1/account/credentials": .account(),
        "DELETE /v1/account/credentials": .account(),
        "DELETE /v1/account/credentials/{credential}": .account(),
        "GET /v1/account/sessions": .account(),
        "GET /v1/account/sessions/{session}": .account(),
        "DELETE /v1/account/sessions/{session}": .account(),
        "GET /v1/account/sessions/{session}/tokens": .account(),
        "POST /v1/account/sessions/{session}/tokens": .account(body: #"{"name": "more"}"#),
        "DELETE /v1/account/sessions/{session}/tokens/{token}": .account(),
    ]
}

extension API {
    /// Sends a request to a route.
    /// - Parameters:
    ///   - key: the method and the path of the route, such as `GET /v1/account`.
    ///   - values: the values of the parameters in the path.
    ///   - authorization: the values of the `Authorization` fields.
    ///   - extra: further fields.
    func send(
        _ key: String, _ values: [String: String], _ body: String, _ authorization: [String],
        _ extra: [String: String] = [:]
    ) async throws -> Reply {
        let parts = key.split(separator: " ")
        var path = String(parts[1])
        for (name, value) in values { path = path.replacing("{\(name)}", with: value) }
        var fields = HeaderFields(extra.map { .init(name: $0.key, value: $0.value) })
        for value in authorization { fields.append("Authorization", value) }
        return try await send(String(parts[0]), path, body, fields: fields)
    }
}
