import HTTPCore
import Testing

@Suite struct NetworkTests {
    @Test(
        "A network contains exactly the addresses that share its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.1.2.3/8", "10.9.9.9", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("192.0.2.128/25", "192.0.2.255", true), ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1/32", "192.0.2.1", true),
            ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "ffff::", true), ("::/0", "1.2.3.4", false), ("::1/128", "::1", true),
            ("::1/128", "::2", false), ("::1", "::1", true),
            ("2001:db8::/33", "2001:db8:7fff::", true),
            ("2001:db8::/33", "2001:db8:8000::", false),
            ("::ffff:10.0.0.0/104", "10.1.1.1", true), ("::ffff:10.0.0.0/104", "11.1.1.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.0.0.1", "10.0.0.1", true),
        ])
    func contains(_ network: String, _ address: String, _ isInside: Bool) throws {
        let network = try #require(Network(network))
        #expect(network.contains(try #require(NetworkAddress(address))) == isInside)
    }

    @Test(
        "A text that is not a network is refused",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
            "10.0.0.0/x", "::/129", "10/8", "10.0.0.0:80/8", "10.0.0.0:80", "[::1]/128", "[::1]",
            "::ffff:10.0.0.0/95", "10.0.0.0 /8", "localhost",
        ])
    func malformed(_ text: String) {
        #expect(Network(text) == nil)
    }

    @Test("Networks that differ only in bits after the prefix are equal") func prefix() {
        #expect(Network("10.1.2.3/8") == Network("10.0.0.0/8"))
        #expect(Network("10.1.2.3/8")?.address == NetworkAddress("10.0.0.0"))
    }
}
