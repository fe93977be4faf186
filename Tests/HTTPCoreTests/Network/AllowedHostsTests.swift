import Testing

@testable import HTTPCore

@Suite("Hosts that requests may name")
struct AllowedHostsTests {
    private static func problem(_ host: String, _ names: [String] = []) -> Problem? {
        AllowedHosts(names).problem(target: "/", ["Host": host])
    }

    @Test(
        "Addresses, names without a dot and .localhost names are always allowed as hosts",
        arguments: [
            "localhost", "LOCALHOST:8080", "localhost.", "waypost:80", "waypost-service",
            "app.localhost", "", "127.0.0.1", "127.0.0.1:8080", "192.0.2.1", "127.1",
            "A.LocalHost.", "[::1]", "[::1]:8080", "[2001:db8::1]", "[::ffff:192.0.2.1]",
        ])
    func local(host: String) {
        #expect(Self.problem(host) == nil)
    }

    @Test(
        "A host that is not allowed is refused, and the problem names the option to allow it",
        arguments: [
            "app.example", "app.example:8080", "localhost.example", "127.0.0.1.example",
            "a.notlocalhost", "a.b", "1.2.3a", "localhost.a",
        ])
    func foreign(host: String) throws {
        let problem = try #require(Self.problem(host))
        #expect(problem.kind == .misdirectedRequest)
        let name = host.prefix { $0 != ":" }
        #expect(problem.detail.contains("--allowed-host \(name)"))
        #expect(problem.headers["Connection"] == "close")
    }

    @Test(
        "A listed host is allowed on any port and in any case",
        arguments: ["app.example", "App.Example:8080", "app.example."])
    func listed(host: String) {
        #expect(Self.problem(host, ["other.example", "APP.example"]) == nil)
        #expect(Self.problem(host, ["app.example."]) == nil)
        #expect(Self.problem("sub." + host, ["APP.example"]) != nil)
    }

    @Test("A request without a host is allowed")
    func absent() {
        #expect(AllowedHosts().problem(target: "/", [:]) == nil)
    }

    @Test("The host of a target in absolute form takes the place of the Host field")
    func absoluteForm() {
        let (local, foreign) = ("http://localhost:8080/livez", "HTTP://app.example/livez")
        let hosts = AllowedHosts()
        #expect(hosts.problem(target: foreign, ["Host": "localhost"])?.kind == .misdirectedRequest)
        #expect(hosts.problem(target: local, ["Host": "app.example"]) == nil)
        #expect(AllowedHosts(["app.example"]).problem(target: foreign, [:]) == nil)
    }

    @Test(
        "A name for --allowed-host with a scheme or port is invalid",
        arguments: [
            ("app.example", true), ("localhost", true), ("[::1]", true), ("", false),
            ("app.example:80", false), ("http://app.example", false), ("a b", false),
            ("*.example", true),
        ])
    func names(name: String, isName: Bool) {
        #expect(AllowedHosts.isName(name) == isName)
    }
}
