import HTTPCore
import NavigationRules

/// The routes of the inspector: a web page that shows and drives a session (`docs/inspector.md`).
struct InspectorRoutes: Sendable {
    static let path = "/inspector"

    /// The `Content-Security-Policy` of the page (CSP 3; Trusted Types). The page loads scripts,
    /// styles and images only from the service, has no inline script or style, and cannot be shown
    /// in a frame.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"

    private static let modules: KeyValuePairs = [
        "main.js": inspectorMain, "api.js": inspectorAPI, "dom.js": inspectorDOM,
        "graph.js": inspectorGraph, "head.js": inspectorHead, "history.js": inspectorHistory,
        "layout.js": inspectorLayout, "log.js": inspectorLog,
        "phone.js": inspectorPhone, "replay.js": inspectorReplay, "stream.js": inspectorStream,
        "timeline.js": inspectorTimeline,
    ]

    /// A file of the inspector, with the header fields of its response.
    private struct File {
        let content: [UInt8]
        let tag: EntityTag
        let headers: HeaderFields

        init(_ text: StaticString, _ mediaType: String) {
            content = text.withUTF8Buffer(Array.init)
            tag = EntityTag(hashing: content)
            headers = [
                "Content-Type": mediaType, "ETag": tag.description,
                // After an upgrade a browser must not mix the modules of two versions.
                "Cache-Control": "no-cache",
                "Content-Security-Policy": InspectorRoutes.policy,
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Cross-Origin-Resource-Policy": "same-origin",
            ]
        }

        func answer(to request: Request) -> Answer {
            .ready(
                Response(
                    request.has(tag) ? .notModified : .ok, headers: headers, body: .bytes(content)))
        }
    }

    private let page = File(inspectorPage, "text/html; charset=utf-8")
    private let files: [String: File]
    private let ways: SceneWays

    init(_ app: App) {
        ways = SceneWays(app)
        var files = [
            "style.css": File(inspectorStyle, "text/css; charset=utf-8"),
            "icon.svg": File(inspectorIcon, "image/svg+xml"),
        ]
        for (name, text) in Self.modules {
            files[name] = File(text, "text/javascript; charset=utf-8")
        }
        self.files = files
    }

    var routes: [Route] {
        [
            Route(.get, "/", produces: []) { _ in
                .ready(
                    Response(
                        .temporaryRedirect,
                        headers: ["Location": Self.path, "Cache-Control": CacheControl.none]))
            },
            Route(.get, Self.path, produces: ["text/html"]) { page.answer(to: $0.request) },
            Route(.get, Self.path + "/{file}", produces: []) {
                context throws(Problem) in
                guard let file = files[String(context.parameters[0])] else {
                    throw Problem(.notFound, "nothing is at \(context.request.target.path)")
                }
                return file.answer(to: context.request)
            },
            Route(.get, Self.path + "/ways/{scene}", task: ways.response),
        ]
    }
}
