import HTTPCore
import JSON
import Navigation
import Sessions

/// Decodes operations and encodes their results in the JSON form of the HTTP interface, without
/// HTTP. The runner of flows, which are scripted tests of an app, uses this type. A flow therefore
/// has the same result without a server as over HTTP.
public struct OperationCoder: Sendable {
    private let app: App
    private let rows: EncodedRows

    public init(_ app: App) {
        self.app = app
        rows = EncodedRows(app)
    }

    /// The names of the operations that a batch may contain. A name is the last component of the
    /// path of the operation's route.
    public static let operationNames = NavigationOperation.allCases.map(\.rawValue)

    /// Returns whether clients send an operation with PUT; all other operations are sent with POST.
    /// - Parameter name: the last component of the path of the operation's route.
    public static func isPut(_ name: String) -> Bool {
        NavigationOperation(rawValue: name)?.method == .put
    }

    /// Decodes the body of an operation or of a batch.
    /// - Parameter name: the last component of the path, such as `push` or `batch`.
    /// - Returns: the operation, and whether its transition is animated.
    /// - Throws: the problem with which the service would refuse the request.
    public static func decode(
        _ name: String, _ object: JSONObject
    ) throws(Problem) -> (operation: Operation, animated: Bool) {
        var body = BodyReader(object)
        let decoded: (Operation, Bool)
        if let navigation = NavigationOperation(rawValue: name) {
            let operation = navigation.decode(&body)
            let animated = body.optionalBoolean("animated")
            decoded = (operation, animated ?? navigation.isAnimatedByDefault)
        } else if name == "batch" {
            let batch = Batch(&body)
            decoded = (.batch(batch.operations), batch.animated)
        } else {
            throw Problem(.notFound, "no operation is named \(name)")
        }
        try body.finish()
        return decoded
    }

    /// Decodes the body of a `PATCH` request, which changes the properties of a view controller.
    /// - Parameter id: the id of the view controller, from the path of the request.
    /// - Throws: the problem with which the service would refuse the request.
    public static func decodeUpdate(
        of id: String, _ object: JSONObject
    ) throws(Problem) -> Operation {
        var body = BodyReader(object)
        let viewController = body.viewControllerID(id, member: nil)
        let operation = body.update(of: viewController)
        try body.finish()
        return operation
    }

    /// Returns the problem with which the service would report an error of a session.
    public static func problem(_ error: SessionError) -> Problem { Problem(error) }

    /// Returns the JSON body of the response to a change, without the member `session`.
    public func change(_ change: ChangeResult) -> [UInt8] {
        var json = JSONWriter()
        json.change(change, session: nil, in: app)
        return json.bytes
    }

    /// Returns the JSON body of `GET /v1/sessions/{session}` without the member `layers`. The
    /// method `layers` returns the layers separately.
    public func session(_ session: SessionSnapshot) -> [UInt8] {
        var json = JSONWriter()
        json.session(session, in: app, layers: false)
        return json.bytes
    }

    /// Returns a JSON object with all layers of a session, like `GET …/layers` but in one page. A
    /// layer is the root content of the window or a modal presentation.
    public func layers(_ session: SessionSnapshot) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.name("layers")
            json.layers(session.window.layers)
        }
        return json.bytes
    }

    /// Returns the visible screen as JSON, like `GET …/screen`: its title, the rows of a table, and
    /// the controls that the user can tap.
    /// - Parameter range: the indices of the rows to include.
    public func screen(_ session: SessionSnapshot, rows range: Range<Int>) -> [UInt8] {
        let top = session.window.topViewController
        var json = JSONWriter()
        json.object { json in
            json.member("title", top.effectiveTitle)
            json.screenMembers(top.screen)
            if case .table = top.screen {
                json.name("rows")
                json.rows(range, of: top, in: app, rows)
            }
            json.taps(of: session.window, rows: range, in: app, rows)
        }
        return json.bytes
    }
}
