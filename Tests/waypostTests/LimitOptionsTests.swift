import Glibc
import MicrohttpdServer
import Testing
import WaypostAPI
import WaypostTesting

@testable import waypost

@Suite struct LimitOptionsTests {
    @Test(
        "A limit out of range prevents the start, and the message names the option",
        arguments: [
            ("--max-connections 0", "--max-connections must be from 1 to 1000000"),
            ("--max-connections-per-address -1", "--max-connections-per-address"),
            ("--max-requests 0", "--max-requests"),
            (
                "--max-cached-sessions 9223372036854775807",
                "--max-cached-sessions must be from 1 to 1000000000"
            ),
            ("--max-header-size 1023", "--max-header-size must be from 1024 to 65536"),
            ("--max-body-size 65537", "--max-body-size must be from 1 to 65536"),
            ("--header-timeout 0s", "--header-timeout"), ("--body-timeout 10", "--body-timeout"),
            ("--answer-timeout soon", "--answer-timeout"), ("--send-timeout -1s", "--send-timeout"),
            ("--keep-alive-timeout 1y", "--keep-alive-timeout"),
        ])
    func outOfRange(_ option: String, _ mention: String) {
        let option = option.replacing(" ", with: "=")
        #expect(refusal(of: "serve --store memory --port 0 \(option)")?.contains(mention) == true)
    }

    @Test("Each limit option sets its member of the server's configuration") func configuration()
        throws
    {
        let options = try LimitOptions.parse([
            "--max-connections", "7", "--max-connections-per-address", "6", "--max-requests", "5",
            "--max-header-size", "2000", "--max-body-size", "1000", "--header-timeout", "1s",
            "--body-timeout", "2s", "--answer-timeout", "3m", "--send-timeout", "4h",
            "--keep-alive-timeout", "5d",
        ])
        var configuration = Server.Configuration()
        var streams = StreamLimits()
        streams.maximum = 8
        #expect(options.apply(to: &configuration, &streams) == nil)
        #expect(streams.maximum == 8)
        #expect(configuration.maximumConnections == 7)
        #expect(configuration.maximumConnectionsPerAddress == 6)
        #expect(configuration.maximumRequests == 5)
        #expect(configuration.maximumHeaderSize == 2000)
        #expect(configuration.maximumBodySize == 1000)
        #expect(configuration.headerTimeout == .seconds(1))
        #expect(configuration.bodyTimeout == .seconds(2))
        #expect(configuration.responseTimeout == .seconds(180))
        #expect(configuration.sendTimeout == .seconds(4 * 3600))
        #expect(configuration.keepAliveTimeout == .seconds(5 * 86_400))
    }

    @Test("The computed number of descriptors is exactly enough for the connections")
    func descriptors() {
        for (connections, streams) in [(1, 0), (100, 50), (10_000, 10_000)] {
            let share = DescriptorLimit.Share(connections: connections, streams: streams)
            #expect(share.limited(to: share.descriptors) == share)
            #expect(share.limited(to: share.descriptors - 1) != share || connections == 1)
        }
    }

    @Test(
        "With too few descriptors, streams get half of them and connections the rest",
        arguments: [
            (64, 1, 0), (132, 2, 0), (160, 16, 0), (600, 118, 236), (20_000, 4968, 9936),
            (30_127, 9999, 10_000),
        ])
    func share(descriptors: Int, connections: Int, streams: Int) {
        let wanted = DescriptorLimit.Share(connections: 10_000, streams: 10_000)
        let share = wanted.limited(to: descriptors)
        #expect(share == DescriptorLimit.Share(connections: connections, streams: streams))
    }

    @Test("The warning of too few descriptors is a line of the JSON log")
    func theWarningOfTooFewDescriptorsIsALineOfTheLog() async throws {
        let result = try await Shell.run(
            """
            ulimit -Sn 400 && ulimit -Hn 600
            \(Shell.waypost) serve --store memory --port 0 --log-format json > out.log 2> log.jsonl & service=$!
            seen 'http://' out.log > started || exit 9
            kill $service
            wait $service
            jq -c 'select(.message | contains("open files")) | .level' log.jsonl
            """)
        #expect(result.output == "\"warning\"\n")
        #expect(result.errors.isEmpty)
    }

    @Test(
        "With too few descriptors the service warns, raises its limit and serves fewer connections")
    func fewDescriptors() async throws {
        let result = try await Shell.run(
            """
            ulimit -Sn 400 && ulimit -Hn 600
            \(Shell.waypost) serve --store memory --port 0 > serve.log & service=$!
            url=$(seen 'http://[0-9.:]*' serve.log) || exit 9
            grep 'Max open files' /proc/$service/limits | tr -s ' ' | cut -d ' ' -f 4
            curl --silent "$url/livez"
            kill $service
            wait $service
            """)
        #expect(result.output == "600\n" + #"{"status":"live"}"#)
        #expect(
            result.errors.contains(
                "the limit of 600 open files is enough for 118 connections"))
        #expect(result.errors.contains("raise the limit to 30128"))
    }

    @Test(
        "A service with far too few descriptors does not start and prints how many it needs",
        arguments: [20, 64, 159])
    func hardlyAnyDescriptors(limit: Int) async throws {
        let result = try await Shell.run(
            """
            ulimit -n \(limit)
            \(Shell.waypost) serve --store sqlite:store.sqlite --port 0
            status=$?
            ls
            exit $status
            """)
        #expect(result.status == 2)
        #expect(result.errors.contains("the limit of open files is \(limit)"))
        #expect(result.errors.contains("raise the limit to 30128"))
        #expect(result.errors.contains("needs at least 160"))
        #expect(!result.output.contains("store.sqlite"))
    }

    @Test("A service for few connections starts with few descriptors")
    func fewConnections() async throws {
        let result = try await Shell.run(
            """
            ulimit -n 132
            \(Shell.waypost) serve --store memory --port 0 --max-connections 2 > serve.log & service=$!
            url=$(seen 'http://[0-9.:]*' serve.log) || exit 9
            curl --silent "$url/livez"
            kill $service
            wait $service
            """)
        #expect(result.output == #"{"status":"live"}"#)
    }

    @Test("A service with enough descriptors starts without a warning about them")
    func enoughDescriptors() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --store memory --port 0 --max-connections 100 > serve.log & service=$!
            seen 'http://' serve.log > started || exit 9
            kill $service
            wait $service
            """)
        #expect(result.status == 0)
        #expect(!result.errors.contains("open files"))
    }
}
