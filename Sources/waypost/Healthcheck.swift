import ArgumentParser
import Foundation

struct Healthcheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running service whether it is ready.",
        discussion: """
            For images without curl. Exits with 0 if the response to GET /readyz is 200 within 5 seconds, \
            else with 1 and the reason.
            """)

    @Option(help: "The name or address that the service listens on.")
    var host = "127.0.0.1"

    @Option(help: "The port that it listens on.")
    var port: UInt16 = 8080

    func run() throws {
        // Without this line, a service that closes the connection would end the command without a
        // message.
        signal(SIGPIPE, SIG_IGN)
        guard let descriptor = connected() else { throw failure("nobody listens there") }
        guard let response = PlainHTTP.exchange(descriptor, "GET /readyz") else {
            throw failure("no response within 5 seconds")
        }
        guard response.status == 200 else {
            throw failure(
                response.body["detail"]?.text ?? "the status of its response is \(response.status)")
        }
        printOutput("ready")
    }

    private func failure(_ reason: String) -> ExitCode {
        printError("\(host):\(port) is not ready: \(reason)")
        return ExitCode(1)
    }

    /// Connects to the first address of the host that accepts a connection.
    /// - Returns: the connected socket; nil if no address accepts one.
    private func connected() -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        let addresses = sequence(first: found?.pointee) { $0?.ai_next?.pointee }
        for case let address? in addresses.prefix(while: { $0 != nil }) {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            var time = timeval(tv_sec: 5, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(
                    descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
            }
            if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            close(descriptor)
        }
        return nil
    }
}
