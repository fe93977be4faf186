import HTTPCore
import JSON
import Navigation
import Sessions

/// Reads operations and writes their results in the JSON form of the HTTP interface, without HTTP.
/// The runner of flows uses this type, so that a flow has the same result without a server as over
/// HTTP.
public struct OperationCoder: Sendable {
    private let app: App
    private let rows: EncodedRows

    public init(_ app: App) {
        self.app = app
        rows = EncodedRows(app)
    }

    /// The names of the operations that a batch may contain: the last components of their paths.
    public static let operationNames = NavigationOperation.allCases.map(\.rawValue)

    /// Returns true if an operation is sent with PUT, false if it is sent with POST.
    public static func isPut(_ name: String) -> Bool {
        NavigationOperation(rawValue: name)?.method == .put
    }

    /// Reads the body of an operation or of `batch`.
    /// - Parameter name: the last component of the operation's path.
    /// - Throws: the problem with which the service would refuse the body.
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

    /// Reads the body of a `PATCH` of a view controller.
    public static func decodeUpdate(
        of id: String, _ object: JSONObject
    ) throws(Problem) -> Operation {
        var body = BodyReader(object)
        let viewController = body.viewControllerID(id, member: nil)
        let operation = body.update(of: viewController)
        try body.finish()
        return operation
    }

    /// Returns the problem for an error of a session.
    public static func problem(_ error: SessionError) -> Problem { Problem(error) }

    /// Returns the body of the response to a change, without the member `session`.
    public func change(_ change: ChangeResult) -> [UInt8] {
        var json = JSONWriter()
        json.change(change, session: nil, in: app)
        return json.bytes
    }

    /// Returns the body of `GET /v1/sessions/{session}`, without the layers, which `layers` returns.
    public func session(_ session: SessionSnapshot) -> [UInt8] {
        var json = JSONWriter()
        json.session(session, in: app, layers: false)
        return json.bytes
    }

    /// Returns the list of all layers, as `GET …/layers` does.
    public func layers(_ session: SessionSnapshot) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.name("layers")
            json.layers(session.window.layers)
        }
        return json.bytes
    }

    /// Returns the rows of the visible table and what can be tapped, as `GET …/screen` does.
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
