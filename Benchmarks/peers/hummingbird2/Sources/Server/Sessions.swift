import Crypto
import Foundation
import Hummingbird
import Synchronization

/// Opens and finds sessions.
final class Sessions: Sendable {
    private let sessions = Mutex<[String: Session]>([:])

    func open() async -> Opened {
        let token = "wps_" + randomHexadecimal(bytes: 32)
        let session = Session(id: randomHexadecimal(bytes: 16), tokenHash: hash(of: token))
        sessions.withLock { $0[session.id] = session }
        return Opened(session: await session.description, token: token)
    }

    /// - Throws: 401 without a token; 404 if there is no such session or the token is another's.
    func session(_ id: String, _ request: Request) throws -> Session {
        let scheme = "Bearer "
        guard let field = request.headers[.authorization], field.hasPrefix(scheme) else {
            throw HTTPError(.unauthorized)
        }
        let token = hash(of: field.dropFirst(scheme.count))
        guard let session = sessions.withLock({ $0[id] }), session.tokenHash == token else {
            throw HTTPError(.notFound, message: "no such session")
        }
        return session
    }
}

private func hash(of text: some StringProtocol) -> SHA256.Digest {
    var hash = SHA256()
    var text = String(text)
    text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    return hash.finalize()
}

private func randomHexadecimal(bytes: Int) -> String {
    (0..<bytes).map { _ in
        let digits = String(UInt8.random(in: .min ... .max), radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
