import HTTPCore
import JSON
import Sessions
import WaypostCore

@testable import WaypostAPI

func fuzzTarget(_ bytes: [UInt8]) {
    let text = textFromC(bytes)
    guard let target = try? RequestTarget(text), text != "*" else { return }
    let path = target.segments.map { "/" + encoded($0) }.joined()
    let query = target.query.map {
        encoded($0.name) + "=" + encoded($0.value)
    }.joined(separator: "&")
    guard let again = try? RequestTarget(path + "?" + query) else {
        fatalError("refused when it is written again: \(path)?\(query)")
    }
    precondition(again.path == path)
    precondition(same(again.segments, target.segments), "\(again.segments)")
    precondition(
        same(
            again.query.flatMap { [$0.name, $0.value] },
            target.query.flatMap { [$0.name, $0.value] }))
    precondition(target.segments.allSatisfy { !$0.utf8.contains(0) })
}

private func encoded(_ text: String) -> String { PercentEncoding.encoded(text, plain: .unreserved) }

/// To the byte: to Swift, `é` is the same in all its forms.
func same(_ one: [String], _ other: [String]) -> Bool {
    one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
}

private let router = Router([
    Route(.get, "/v1/account/credentials", query: ["limit", "after", "since"]) { _ in
        .ready(Response(.ok))
    },
    Route(.post, "/") { _ in .ready(Response(.ok)) },
])

func fuzzQuery(_ bytes: [UInt8]) {
    guard let target = try? RequestTarget("/v1/account/credentials?" + textFromC(bytes)) else {
        return
    }
    let request = Request(method: .get, target: target)
    guard (try? QueryNames().before(router.match(request))) != nil else { return }
    let query = Query(request)
    let page = try? query.page()
    if let page { precondition((1...1000).contains(page.limit)) }
    if let since = try? query.integer("since", in: 0...Int.max) {
        precondition(since >= 0)
    }
    if let position = try? page?.timePosition({ CredentialID($0) }) {
        let again = try? Query(
            Request(
                method: .get,
                target: RequestTarget("/?after=" + encoded(position.text)))
        ).page().timePosition { CredentialID($0) }
        precondition(again == position)
        _ = position.createdAt.description
    }
}

/// The target, the version, and header fields, each on a line.
func fuzzHead(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let target = textFromC(Array(lines[0]))
    let version = lines.count > 1 ? textFromC(Array(lines[1])) : "HTTP/1.1"
    var headers = HeaderFields()
    for line in lines.dropFirst(2) {
        let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
        Array(parts[0]).withUnsafeBytes { name in
            Array(parts.count > 1 ? parts[1] : []).withUnsafeBytes { headers.append(name, $0) }
        }
    }
    let problem = Framing.problem(
        target: target, version: version, headers: headers, size: bytes.count, maximumSize: 32_768)
    guard problem == nil else { return }
    let lengths = headers.values("content-length")
    let encodings = headers.values("TRANSFER-ENCODING")
    precondition(lengths.count + encodings.count <= 1)
    precondition(
        lengths.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    precondition(encodings.allSatisfy { $0.lowercased() == "chunked" })
    precondition(headers.values("hOST").count <= 1 && target.utf8.count <= 8192)
    look(at: headers)
}

/// One field's value, read as each field that the service reads.
func fuzzField(_ bytes: [UInt8]) {
    let text = textFromC(bytes)
    look(
        at: HeaderFields(
            [
                "Accept", "Content-Type", "If-Match", "If-None-Match", "Range", "traceparent",
                "X-Request-ID", "X-Forwarded-For", "Authorization", "Idempotency-Key", "Origin",
            ].map { HeaderFields.Field(name: $0, value: text) }))
}

/// Reads the fields as the routes do.
private func look(at headers: HeaderFields) {
    _ = headers.accepts(oneOf: ["application/json", "image/jpeg"])
    let range = headers["Range"]
    for size in [0, 1, 1000, Int.max] {
        guard case .part(let part) = ByteRange(range, size: size) else { continue }
        precondition(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size)
    }
    if let trace = TraceParent(of: headers) {
        precondition(TraceParent("00-\(trace.traceID)-\(trace.parentID)-01") == trace)
    }
    if let field = headers["Content-Type"] {
        let type = MediaType(field)
        precondition(type.essence.utf8.allSatisfy { !(0x41...0x5A).contains($0) })
    }
    for name in ["If-Match", "If-None-Match"] {
        guard let field = headers[name] else { continue }
        let tag = EntityTag(hashing: Array(field.utf8))
        precondition(tag.isListed(in: "\(tag)", weakly: false))
        precondition(
            !tag.isListed(in: field, weakly: false) || tag.isListed(in: field, weakly: true))
    }
    let id = RequestIDs(seed: 1).id(of: headers)
    precondition((1...128).contains(id.utf8.count))
    if let field = headers["X-Forwarded-For"] { lookAtAddress(field) }
    if let origin = headers["Origin"] { _ = CrossOriginPolicy.isOrigin(origin) }
    guard let target = try? RequestTarget("/") else { fatalError("/ is a target") }
    let request = Request(
        method: .get, target: target, headers: headers, peer: NetworkAddress("127.0.0.1"))
    lookAtFields(of: request)
}

private func lookAtAddress(_ text: String) {
    if let address = NetworkAddress(text) {
        precondition(NetworkAddress(address.description) == address, address.description)
        for length in (address.isIPv4 ? 96 : 0)...128 {
            precondition(Network(address, prefixLength: length)?.contains(address) == true)
        }
    }
    if let network = Network(text) {
        precondition(network.contains(network.address))
        let length = network.prefixLength - (network.address.isIPv4 ? 96 : 0)
        precondition(Network("\(network.address)/\(length)") == network)
    }
}

private let limits = RateLimits(
    trustedProxies: [Network("127.0.0.0/8"), Network("10.0.0.0/8")].compactMap { $0 },
    sessionQuota: 0, signUpQuota: 0, environment: Environment(now: { start }, random: { 1 }))
private let start = Timestamp(milliseconds: 1_700_000_000_000)

private func lookAtFields(of request: Request) {
    // At most an address, or the network of one.
    precondition((limits.client(of: request) ?? "").utf8.count <= 45)
    for purpose in [Secret.Purpose.session, .credential] {
        precondition(request.bearer(purpose)?.hash == request.bearerHash(purpose))
    }
    guard let root = try? RequestTarget("/") else { return }
    let context = router.match(Request(method: .post, target: root, headers: request.headers))
    do throws(Problem) {
        try IdempotencyKeys().before(context)
        let idempotency: IdempotentRequest<Int>? = try request.idempotency(
            context.idempotencyKey, token: ""
        ) { _, _ in StoredResponse(Response(.ok)) }
        let isAbsent = request.headers.values("Idempotency-Key").isEmpty
        // The router refuses a request that accepts no JSON before any middleware.
        precondition(context.route == nil || (idempotency == nil) == isAbsent)
    } catch {
        precondition(error.kind == .invalidIdempotencyKey)
    }
    _ = try? request.checkMediaType()
    _ = request.has(EntityTag("1"))
}
