import HTTPCore

/// Refuses a request whose query has a parameter that its route does not accept, or one twice.
final class QueryNames: Middleware {
    func before(_ context: Context) throws(Problem) {
        let items = context.request.target.query
        guard !items.isEmpty, let names = context.route?.query else { return }
        for (index, item) in items.enumerated() {
            guard names.contains(item.name) else {
                let known = names.isEmpty ? "none" : names.joined(separator: ", ")
                throw Problem(
                    .invalidQuery, "unknown query parameter \(item.name); expected: \(known)")
            }
            guard !items[..<index].contains(where: { $0.name == item.name }) else {
                throw Problem(
                    .invalidQuery, "the query parameter \(item.name) occurs twice: send it once")
            }
        }
    }
}

/// Refuses a request whose `If-Match` or `If-None-Match` is not a list of entity tags.
final class EntityTagFields: Middleware {
    func before(_ context: Context) throws(Problem) {
        guard context.route != nil else { return }
        for name in ["If-Match", "If-None-Match"] {
            guard let field = context.request.headers.combined(name), !EntityTag.isList(field)
            else {
                continue
            }
            throw Problem(
                .invalidEntityTag,
                "\(name): expected entity tags in quotes, as in \(name): \"3-9c1f03ab\", or *; "
                    + "send the ETag of a response unchanged")
        }
    }
}

/// Refuses a change whose `Idempotency-Key` occurs several times, or does not consist of 1 to 255
/// visible ASCII characters.
final class IdempotencyKeys: Middleware {
    func before(_ context: Context) throws(Problem) {
        guard let route = context.route, route.method != .get else { return }
        let keys = context.request.headers.values("Idempotency-Key")
        guard let key = keys.first else { return }
        guard keys.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Problem(
                .invalidIdempotencyKey,
                "Idempotency-Key must come once, with 1 to 255 visible ASCII characters: a new UUID"
            )
        }
        context.idempotencyKey = key
    }
}
