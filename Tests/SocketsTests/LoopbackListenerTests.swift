import Sockets
import Testing

@Suite("Listeners on loopback")
struct LoopbackListenerTests {
    @Test(
        "A listener is on loopback if its address is, however the host is written",
        arguments: [
            ("127.0.0.1", true), ("127.1", true), ("2130706433", true), ("localhost", true),
            ("0.0.0.0", false),
        ])
    func version4(host: String, isLoopback: Bool) throws {
        let listener = try Listener.listen(host: host, port: 0)
        #expect(listener.isLoopback == isLoopback)
    }

    @Test(
        "The loopback address of IPv6 and that of IPv4 in IPv6 count, where the system has IPv6",
        arguments: [("::1", true), ("::ffff:127.0.0.1", true), ("::", false)])
    func version6(host: String, isLoopback: Bool) {
        guard let listener = try? Listener.listen(host: host, port: 0) else { return }
        #expect(listener.isLoopback == isLoopback)
    }
}
