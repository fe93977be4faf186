import JSON
import Logging

/// Encodes log entries as lines.
struct LogLine: Sendable {
    let format: LogFormat

    func append(_ entry: LogEntry, to bytes: inout [UInt8]) {
        switch format {
        case .text: appendText(entry, to: &bytes)
        case .json: appendJSON(entry, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    // MARK: JSON

    private func appendJSON(_ entry: LogEntry, to bytes: inout [UInt8]) {
        var json = JSONWriter(capacity: 256)
        json.object { json in
            json.member("time", Timestamp(milliseconds: entry.time).description)
            json.member("level", entry.level.rawValue)
            json.member("logger", entry.label)
            switch entry.content {
            case .access(let access): Self.write(access, to: &json)
            case .message(let text, let members):
                json.member("message", text)
                for member in members {
                    json.name(escaping: member.name)
                    switch member.value {
                    case .text(let text): json.string(text)
                    case .number(let number): json.integer(number)
                    }
                }
            }
        }
        bytes += json.bytes
    }

    /// Writes the members of an access entry. If OpenTelemetry's semantic conventions define a name
    /// for a member, the member has this name.
    private static func write(_ access: AccessEntry, to json: inout JSONWriter) {
        json.member("message", "request")
        json.member("http.route", access.route)
        json.member("http.request.method", access.method)
        json.member("http.response.status_code", access.status)
        json.name("duration_ms")
        json.real(milliseconds(access.duration))
        json.member("http.response.body.size", access.bytes)
        json.member("request_id", access.requestID)
        if let session = access.session { json.member("session", session) }
        if let problem = access.problem { json.member("problem", problem) }
        if let trace = access.trace {
            json.member("trace_id", trace.id)
            json.member("parent_id", trace.parent)
        }
        if let end = access.streamEnd { json.member("stream_end", end) }
    }

    // MARK: Text

    private func appendText(_ entry: LogEntry, to bytes: inout [UInt8]) {
        var line = "\(Timestamp(milliseconds: entry.time)) \(entry.level) "
        switch entry.content {
        case .access(let access): Self.write(access, to: &line)
        case .message(let text, let members):
            line += Self.printable(text)
            for member in members { line += " \(member.name)=\(Self.quoted(member.value.text))" }
        }
        bytes += line.utf8
    }

    private static func write(_ access: AccessEntry, to line: inout String) {
        line += "\(access.method) \(access.route) \(access.status)"
        line += " \(milliseconds(access.duration)) ms \(access.bytes) B id=\(access.requestID)"
        if let session = access.session { line += " session=\(session)" }
        if let problem = access.problem { line += " problem=\(problem)" }
        if let trace = access.trace { line += " trace=\(trace.id)-\(trace.parent)" }
        if let end = access.streamEnd { line += " stream_end=\(end)" }
    }

    /// Escapes control characters in a text, so that the text can neither start a new log line nor
    /// send commands to the reader's terminal.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { printable, scalar in
            printable += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    /// Returns a value in quotation marks if it would be ambiguous without them. A backslash escapes
    /// quotation marks, backslashes and control characters in the value.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy {
            !" \"=\\".unicodeScalars.contains($0) && !isControl($0)
        }
        guard value.isEmpty || !isPlain else { return value }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(printable(escaped))\""
    }

    /// Returns a duration in milliseconds, rounded down to whole microseconds.
    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1000
    }
}

/// An entry of the log. The entry is created on the thread that logs, and encoded and written on
/// the log's own thread.
struct LogEntry: Sendable {
    enum Content: Sendable {
        case access(AccessEntry)
        case message(String, [(name: String, value: Value)])
    }

    /// The value of a metadata item of a log message.
    enum Value: Sendable {
        case text(String)
        case number(Int)

        var text: String {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            }
        }

        /// Creates a value from swift-log metadata. An integer becomes a number, and all other
        /// metadata becomes text.
        init(_ metadata: Logger.MetadataValue) {
            if case .stringConvertible(let value) = metadata,
                let integer = value as? any BinaryInteger, let number = Int(exactly: integer)
            {
                self = .number(number)
            } else {
                self = .text("\(metadata)")
            }
        }
    }

    /// The time of the entry in milliseconds since 1970.
    let time: Int
    let level: Logger.Level
    let label: String
    let content: Content
}

/// The log entry of one request and its response. The entry never contains the request's path,
/// query, body or header fields, except a valid request id and a valid trace context.
public struct AccessEntry: Sendable {
    /// The path pattern of the route, such as `/v1/sessions/{session}`.
    public let route: String
    public let method: String
    public let status: Int
    public var duration: Duration
    /// The size of the response body, in bytes.
    public var bytes: Int
    public let requestID: String
    /// The first 8 digits of the id of the session that the request uses or opens; nil for other
    /// requests.
    public var session: String?
    /// The code of the problem in the response; nil if the response is not a problem.
    public var problem: String?
    /// The client's trace id and parent span id (W3C Trace Context); nil if the client sent
    /// no valid trace context.
    public var trace: (id: String, parent: String)?
    /// The reason why a stream ended. The value is nil in the entry that is written when a stream
    /// begins, and for responses that are not streams.
    public var streamEnd: String?

    public init(
        route: String, method: String, status: Int, duration: Duration, bytes: Int,
        requestID: String
    ) {
        self.route = route
        self.method = method
        self.status = status
        self.duration = duration
        self.bytes = bytes
        self.requestID = requestID
    }
}

/// The format of the log's lines.
public enum LogFormat: Sendable {
    /// A line of words and `name=value` pairs, for people to read.
    case text
    /// A JSON object on each line, for programs to read.
    case json
}
