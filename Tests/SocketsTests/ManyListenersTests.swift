import Foundation
import Sockets
import Testing

@Suite("Many listeners", .timeLimit(.minutes(5)))
struct ManyListenersTests {
    /// An element of an array, which a listener itself cannot be.
    private final class Owner {
        let listener: Listener
        init(_ listener: consuming Listener) { self.listener = listener }
    }

    private func connection(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = port.bigEndian
        let status = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        try #require(status == 0)
        return descriptor
    }

    @Test("More listeners than Dispatch has threads accept connections at the same time")
    func many() throws {
        let accepted = DispatchSemaphore(value: 0)
        let owners = try (0..<300).map { _ in
            let listener = try Listener.listen(host: "127.0.0.1", port: 0)
            listener.start { connection, _, _ in
                close(connection)
                accepted.signal()
            }
            return Owner(listener)
        }
        for owner in owners { close(try connection(to: owner.listener.port)) }
        for _ in owners { #expect(accepted.wait(timeout: .now() + 60) == .success) }
    }
}
