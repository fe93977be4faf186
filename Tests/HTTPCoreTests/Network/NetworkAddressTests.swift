import Testing

@testable import HTTPCore

@Suite struct NetworkAddressTests {
    @Test(
        "Every form of an IP address is parsed, with and without a port, to one canonical form",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"),
            ("192.0.2.1:80", "192.0.2.1"), ("192.0.2.1:65535", "192.0.2.1"),
            ("::1", "::1"), ("[::1]", "::1"), ("[::1]:80", "::1"), ("::", "::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("[2001:db8::1]:8080", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("[::FFFF:c000:201]:80", "192.0.2.1"),
        ])
    func forms(_ text: String, _ canonical: String) {
        #expect(NetworkAddress(text)?.description == canonical)
        #expect(NetworkAddress(text) == NetworkAddress(canonical))
    }

    @Test(
        "A text that is not an IP address is refused",
        arguments: [
            "", " ", "unknown", "_hidden", "localhost", "1.2.3", "1.2.3.4.5", "256.0.0.1",
            "01.2.3.4",
            "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\0", "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:65536",
            "1.2.3.4:+80", "[1.2.3.4]", "[::1", "::1]", "[::1]80", "[::1]:", "[::1]x", "[]", ":",
            ":::",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::12345", "fe80::1%lo", "1.2.3.4/8",
        ])
    func malformed(_ text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test("An address from bits equals the address parsed from text") func bits() {
        #expect(NetworkAddress(bits: 1) == NetworkAddress("::1"))
        #expect(NetworkAddress(bits: 0xFFFF_C000_0201) == NetworkAddress("192.0.2.1"))
        #expect(NetworkAddress("192.0.2.1")?.isIPv4 == true)
        #expect(NetworkAddress("::1")?.isIPv4 == false)
    }

    @Test("An IPv4 and an IPv6 address with the same low bits differ") func families() {
        #expect(NetworkAddress("0.0.0.1") != NetworkAddress("::1"))
    }
}
