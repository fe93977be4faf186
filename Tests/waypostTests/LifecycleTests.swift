import Foundation
import TestSupport
import Testing
import WaypostTesting

@testable import waypost

/// Tests of the service's states for its supervisor (ready, draining, stopped), and of its log.
@Suite struct LifecycleTests {
    /// Starts a service. `$url` is its address and the file `log` its log.
    private static func start(_ options: String = "") -> String {
        """
        \(Shell.waypost) serve --store memory --port 0 \(options) > serve.output 2> log &
        service=$!
        url=$(seen 'http://[0-9.:]*' serve.output) || exit 9
        port=${url##*:}

        """
    }

    @Test("waypost healthcheck exits with 0 while the service is ready and with 1 after it stopped")
    func healthcheck() async throws {
        let result = try await Shell.run(
            Self.start() + """
                \(Shell.waypost) healthcheck --port $port; echo $?
                WAYPOST_PORT=$port \(Shell.waypost) healthcheck --host localhost; echo $?
                echo "port: $port" > w.yaml
                WAYPOST_CONFIG=w.yaml \(Shell.waypost) healthcheck; echo $?
                \(Shell.waypost) healthcheck --config w.yaml; echo $?
                kill $service; wait $service
                \(Shell.waypost) healthcheck --port $port; echo $?
                """)
        #expect(result.output == "ready\n0\nready\n0\nready\n0\nready\n0\n1\n")
        #expect(
            result.errors.contains(
                "is not ready: the name of the host is unknown, or no service listens there"))
    }

    @Test("waypost healthcheck exits with 1 for a service that is not ready, and says why")
    func notReady() async throws {
        let result = try await Shell.run(
            #"""
            cat > service.py << 'END'
            import socket
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)
            head = b"HTTP/1.1 503 Service Unavailable\r\n\r\n"
            for answer in (head + b'{"detail": "the database cannot be used"}', b"no HTTP",
                           head + b"no JSON"):
                connection, _ = listener.accept()
                connection.recv(65536)
                connection.sendall(answer)
                connection.close()
            END
            python3 service.py > port & service=$!
            port=$(seen '[0-9]+' port) || exit 9
            for answer in 1 2 3; do \#(Shell.waypost) healthcheck --port $port; echo $?; done
            """#)
        #expect(result.output == "1\n1\n1\n")
        let lines = result.errors.split(separator: "\n")
        #expect(lines[1].hasSuffix("is not ready: the response is not valid HTTP"))
        #expect(lines.first?.hasSuffix("is not ready: the database cannot be used") == true)
        #expect(lines.last?.hasSuffix("the status of its response is 503") == true)
    }

    @Test(
        "The address of a service on IPv6 has brackets",
        arguments: [("::1", "http://[::1]:9000"), ("localhost", "http://localhost:9000")])
    func address(host: String, address: String) throws {
        let serve = try Serve.parse(["--host", host])
        #expect(serve.listening.address(port: 9000) == address)
    }

    @Test("The log says at the start what is served", arguments: [false, true])
    func startedEntry(_ ownData: Bool) async throws {
        let example = Shell.checkout.appending(path: "Examples/RecipeBox/RecipeBox.json").path
        let result = try await Shell.run(
            Self.start(ownData ? "--storyboard \(example)" : "") + """
                kill $service; wait $service
                jq -c 'select(.message == "started") | .storyboard, .data' log
                """)
        #expect(
            result.output
                == (ownData
                    ? "\"Recipe Box\"\n\"3 courses, 7 recipes, 25 steps\"\n"
                    : "\"Library\"\n\"15 authors, 65 books\"\n"))
    }

    @Test("Requests in progress at SIGTERM are completed before the service ends")
    func draining() async throws {
        let result = try await Shell.run(
            Self.start("--answer-timeout 10m") + #"""
                # Requests that take long: each hashes a password.
                touch codes
                for i in {1..8}; do
                  session=$(curl --silent -X POST $url/v1/sessions)
                  curl --silent "$url/v1/sessions/$(echo "$session" | jq -r .id)/sign-up" \
                    -H "Authorization: Bearer $(echo "$session" | jq -r .token)" \
                    --json "{\"username\": \"user$i\", \"password\": \"a long password\"}" \
                    -o /dev/null -w '%{http_code}\n' >> codes &
                  clients="$clients $!"
                done
                in_flight() { curl --silent $url/metrics | grep -oP '^http_server_active_requests \K.*'; }
                # Until each of them has been answered, or is being answered beside this one.
                until answered=$(wc -l < codes); [ $((answered + $(in_flight) - 1)) = 8 ]; do :; done
                kill $service
                wait $service; echo "exit $?"
                wait $clients
                sort codes | uniq -c | tr -d ' '
                grep -o '"message":"sto[^"]*"' log
                """#)
        #expect(
            result.output == """
                exit 0
                8200
                "message":"stopping"
                "message":"stopped"

                """)
    }

    @Test("A second signal ends the service at once with status 128 plus the signal's number")
    func secondSignal()
        async
    {
        await #expect(processExitsWith: .exitCode(128 + SIGINT)) {
            let stop = StopSignal()
            kill(getpid(), SIGTERM)
            #expect(await stop.wait() == "SIGTERM")
            kill(getpid(), SIGINT)
            while true { await Task.yield() }
        }
    }

    @Test("SIGQUIT stops the service like SIGTERM") func otherStop() async throws {
        let result = try await Shell.run(
            Self.start() + """
                kill -QUIT $service
                wait $service; echo "exit $?"
                grep -o '"message":"sto.*"' log
                """)
        #expect(
            result.output == """
                exit 0
                "message":"stopping","signal":"SIGQUIT"
                "message":"stopped"

                """)
    }

    @Test("A closed terminal stops the service, and SIGHUP from elsewhere does not")
    func closedTerminal() async throws {
        let result = try await Shell.run(
            #"""
            cat > terminal.py << 'END'
            import os, pty, signal, sys
            child, terminal = pty.fork()
            if child == 0:
                os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
                os.execv(sys.argv[1], [sys.argv[1], "serve", "--port", "0", "--store", "memory", "--log-format", "json"])
            while b"Waypost serves" not in os.read(terminal, 1000):
                pass
            os.kill(child, signal.SIGHUP)
            while '"message":"reloaded"' not in open("log").read():
                pass
            os.close(terminal)
            print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            END
            python3 terminal.py \#(Shell.waypost)
            grep -o '"message":"\(reloaded\|stop[a-z]*\)"\(,"signal":"[A-Z]*"\)\?' log
            """#)
        #expect(
            result.output == """
                status 0
                "message":"reloaded"
                "message":"stopping","signal":"SIGHUP"
                "message":"stopped"

                """)
    }

    @Test("SIGHUP is neither a stop nor a second signal") func hangUp() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let stop = StopSignal()
            var reloads = stop.reloads.makeAsyncIterator()
            kill(getpid(), SIGHUP)
            _ = await reloads.next()
            kill(getpid(), SIGTERM)
            #expect(await stop.wait() == "SIGTERM")
            kill(getpid(), SIGHUP)
            _ = await reloads.next()
            exit(0)
        }
    }

    @Test("A service that was started with nohup ignores SIGHUP")
    func nohup() async throws {
        let result = try await Shell.run(
            """
            trap '' HUP
            \(Self.start())
            kill -HUP $service
            curl --silent $url/livez
            kill $service
            wait $service; echo " exit $?"
            """)
        #expect(result.output == #"{"status":"live"} exit 0"# + "\n")
    }

    @Test("SIGUSR1 and SIGUSR2 are logged and change nothing", arguments: ["USR1", "USR2"])
    func ignoredSignals(signal: String) async throws {
        let result = try await Shell.run(
            Self.start() + """
                kill -\(signal) $service
                seen '"a signal was ignored","signal":"[A-Z0-9]*"' log || exit 9
                curl --silent $url/livez
                kill $service
                wait $service; echo " exit $?"
                """)
        #expect(
            result.output == #"""
                "a signal was ignored","signal":"SIG\#(signal)"
                {"status":"live"} exit 0

                """#)
    }

    @Test("An early SIGHUP reloads the files after the start, and other early signals do nothing")
    func earlySignals() async throws {
        let result = try await Shell.run(
            """
            mkfifo options
            \(Shell.waypost) serve --config options > serve.output 2> log & service=$!
            # The service opens the file before it starts, and waits for its content.
            exec 3> options
            for signal in HUP USR1 USR2; do kill -$signal $service; done
            printf 'store: memory\\nport: 0\\n' >&3; exec 3>&-
            seen '"message":"reloaded"' log
            kill $service; wait $service; echo "exit $?"
            """)
        #expect(result.output == "\"message\":\"reloaded\"\nexit 0\n")
    }

    @Test("The log is JSON unless it goes to a terminal or --log-format is text") func logFormat()
        async throws
    {
        for (options, form) in [
            ("", #"^{"time":"[^"]*","level":"info","logger":"waypost.access","#),
            ("--log-format text", "^[^ ]*Z info GET /livez 200 "),
        ] {
            let result = try await Shell.run(
                Self.start(options) + """
                    curl --silent $url/livez > /dev/null
                    kill $service; wait $service
                    grep -c '\(form)' log
                    grep -c stopped log
                    """)
            #expect(result.output == "1\n1\n")
        }
    }

    @Test("Every metric is valid for Prometheus and described in docs/operations.md") func metrics()
        async throws
    {
        let result = try await Shell.run(
            Self.start() + """
                curl --silent $url/metrics
                kill $service; wait $service
                """)
        let metrics = try PrometheusText(result.output)
        let page = try String(
            contentsOf: Shell.checkout.appending(path: "docs/operations.md"), encoding: .utf8)
        #expect(metrics.families.count >= 17)
        for family in metrics.families { #expect(page.contains("`\(family.name)`")) }
        #expect(metrics.value("waypost_http_connections") == 1)
        #expect(try #require(metrics.value("process_resident_memory_bytes")) > 1_000_000)
        #expect(try #require(metrics.value("process_open_fds")) > 3)
        #expect(try #require(metrics.value("process_cpu_seconds_total")) > 0)
        #expect(metrics.value("waypost_sessions_cached_limit") == 200_000)
        #expect(metrics.value("waypost_streams_limit") != nil)
        #expect(metrics.value("waypost_password_hashes_waiting_limit") == 64)
    }

    @Test("A burst of refused log-ins has two lines in the log, the second with their number")
    func refusedLogIns() async throws {
        let result = try await Shell.run(
            Self.start("--log-format json --access-log off --max-connections 100") + #"""
                session=$(curl --silent --request POST $url/v1/sessions \
                    --header 'Content-Type: application/json' --data '{}')
                id=$(echo "$session" | jq --raw-output .id)
                token=$(echo "$session" | jq --raw-output .token)
                curl --silent "$url/v1/sessions/$id/log-in#[1-30]" --output /dev/null \
                    --header "Authorization: Bearer $token" \
                    --header 'Content-Type: application/json' \
                    --data '{"username": "nobody", "password": "a wrong password"}'
                kill $service; wait $service
                jq --raw-output 'select(.message | startswith("log-ins")) | "\(.message) \(.count)"' log
                """#)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("log-ins are refused "))
        // The first few can be in the interval before the burst.
        let count = try #require(lines[1].split(separator: " ").last.flatMap { Int($0) })
        #expect(lines[1].hasPrefix("log-ins are no longer refused "))
        #expect((21...30).contains(count))
    }

    @Test(
        "With --access-log off or --log-level warning the log has no requests",
        arguments: [("--access-log off", "started"), ("--log-level warning", "")])
    func quietLog(_ options: String, _ mention: String) async throws {
        let result = try await Shell.run(
            // The number of connections is small, so that a low limit on open files does not add a
            // warning to the log.
            Self.start("\(options) --max-connections 100") + """
                curl --silent $url/livez > /dev/null
                kill $service; wait $service && cat log
                """)
        #expect(result.status == 0)
        #expect(!result.output.contains("/livez"))
        #expect(mention.isEmpty ? result.output.isEmpty : result.output.contains(mention))
    }
}
