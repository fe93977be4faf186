import Foundation
import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Peers", .timeLimit(.minutes(10)))
struct PeerTests {
    private let handler = TestHandler { .text($0.peer?.description ?? "none") }

    @Test("A request has the address of its connection's other end")
    func address() async throws {
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/")
                #expect(try client.readResponse().text == "127.0.0.1")
            }
        }
    }

    @Test("A peer address is read from IPv4 and IPv6 sockets")
    func families() {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        #expect(Self.address(of: &v4) == NetworkAddress("192.0.2.1"))
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_addr = in6addr_loopback
        #expect(Self.address(of: &v6) == NetworkAddress("::1"))
        var none = sockaddr_un()
        none.sun_family = sa_family_t(AF_UNIX)
        #expect(Self.address(of: &none) == nil)
    }

    private static func address<Address>(of address: inout Address) -> NetworkAddress? {
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { NetworkAddress($0) }
        }
    }
}
