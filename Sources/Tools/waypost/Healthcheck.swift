import ArgumentParser
import Foundation
import JSON
import Sockets
import WaypostCore

struct Healthcheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running service whether it is ready.",
        discussion: """
            This command is for container images without curl. Exits with 0 if the service responds to \
            GET /readyz with 200 within 5 seconds. Otherwise prints the reason, and exits with 1, also if \
            no service listens.
            """)

    // This property only declares the option, as that of `ListenOptions` does.
    @Option(
        help: ArgumentHelp(
            "The configuration file of the service, which has its host and port.",
            valueName: "file"))
    var config: String?

    @Option(help: "The host name or address on which the service listens.")
    var host = "127.0.0.1"

    @Option(help: "The port on which the service listens.")
    var port: UInt16 = 8080

    func run() throws {
        guard let connection = PlainHTTP(host: host, port: port, timeout: 5) else {
            throw failure("the name of the host is unknown, or no service listens there")
        }
        let start = ContinuousClock().now
        guard let response = connection.exchange("GET", "/readyz") else {
            let isTimeout = ContinuousClock().now - start >= .seconds(5)
            throw failure(
                isTimeout ? "no response within 5 seconds" : "the response is not valid HTTP")
        }
        guard response.status == 200 else {
            let body = try? JSONValue(parsing: response.body, maximumDepth: 32)
            throw failure(
                body?["detail"]?.text ?? "the status of its response is \(response.status)")
        }
        printOutput("ready")
    }

    private func failure(_ reason: String) -> ExitStatus {
        printError("\(host):\(port) is not ready: \(reason)")
        return .findings
    }
}
