import HTTPCore
import JSON
import NavigationRules
import Sessions

/// Decodes operations and encodes their results in the JSON form of the HTTP interface, without
/// HTTP. The runner of flows, which are scripted tests of an app, uses this type. A flow therefore
/// has the same result without a server as over HTTP.
package struct OperationCoder: Sendable {
    private let app: App
    private let rows: EncodedRows

    package init(_ app: App) {
        self.app = app
        rows = EncodedRows(app)
    }

    /// Decodes the body of an operation, also of a batch or a patch. The body of a patch also has the
    /// id of the view controller.
    /// - Parameter name: the name of the operation, such as `push`.
    /// - Returns: the operation, and the value of the member `animated`; nil if there is none.
    /// - Throws: the problem with which the service would refuse the request.
    package static func decode(
        _ name: String, _ object: JSONObject
    ) throws(Problem) -> (operation: Operation, animated: Bool?) {
        guard let type = Operation.type(named: name) else {
            throw Problem(.notFound, "no operation is named \(name)")
        }
        var body = BodyReader(object)
        let decoded: (operation: Operation, animated: Bool?)
        if type == Patch.self {
            // A patch in a log can have the member `animated`, a request for one cannot.
            var patch = Patch()
            Patch.read(&body, into: &patch)
            decoded = (Operation(patch), nil)
        } else {
            decoded = type.read(&body)
        }
        try body.finishOrThrowProblem()
        return decoded
    }

    /// Returns the problem with which the service would report an error of a session.
    package static func problem(_ error: SessionError) -> Problem { Problem(error) }

    /// Returns the JSON body of the response to a change, without the member `session`.
    package func change(_ change: ChangeResult) -> [UInt8] {
        JSONWriter.bytes { $0.change(change, session: nil, in: app) }
    }

    /// Returns the JSON body of `GET /v1/sessions/{session}` without the member `layers`. The
    /// method `layers` returns the layers separately.
    package func session(_ session: SessionState) -> [UInt8] {
        JSONWriter.bytes { $0.session(session, in: app, layers: false) }
    }

    /// Returns a JSON object with all layers of a session, like `GET …/layers` but in one page. A
    /// layer is the root content of the window or a modal presentation.
    package func layers(_ session: SessionState) -> [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                json.name("layers")
                json.layers(session.window.layers)
            }
        }
    }

    /// Returns the visible screen as JSON, like `GET …/screen` without a following page.
    /// - Parameter range: the indices of the rows to include.
    package func screen(_ session: SessionState, rows range: Range<Int>) -> [UInt8] {
        let window = session.window
        return JSONWriter.bytes {
            $0.screen(window.screen, of: window, rows: range, next: nil, in: app, rows)
        }
    }
}
