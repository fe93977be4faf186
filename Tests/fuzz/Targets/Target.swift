/// What is fed with inputs. Whatever they are, nothing traps or takes a second of the processor, and
/// what is accepted means the same when it is written and read again.
enum Target: String, CaseIterable {
    case target, query, head, field, json, body, link
    case propertyList = "property-list"
    case storyboard
    case xcodeStoryboard = "xcode-storyboard"
    case storedLog = "stored-log"
    case earlierSession = "earlier-session"
    case earlierEvents = "earlier-events"
    case storedResponse = "kept-response"
    case operations

    nonisolated(unsafe) static var chosen = Target.target

    func run(_ bytes: [UInt8]) {
        switch self {
        case .target: fuzzTarget(bytes)
        case .query: fuzzQuery(bytes)
        case .head: fuzzHead(bytes)
        case .field: fuzzField(bytes)
        case .json: fuzzJSON(bytes)
        case .body: fuzzBody(bytes)
        case .link: fuzzLink(bytes)
        case .propertyList: fuzzPropertyList(bytes)
        case .storyboard: fuzzStoryboard(bytes)
        case .xcodeStoryboard: fuzzXcodeStoryboard(bytes)
        case .storedLog: fuzzStoredLog(bytes)
        case .earlierSession: fuzzEarlierSession(bytes)
        case .earlierEvents: fuzzEarlierEvents(bytes)
        case .storedResponse: fuzzKeptResponse(bytes)
        case .operations: fuzzOperations(bytes)
        }
    }
}

/// As C ends it, and as Swift reads it from C: up to a NUL, with what is no UTF-8 repaired.
func textFromC(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}
