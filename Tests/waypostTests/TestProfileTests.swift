import Foundation
import Testing
import WaypostTesting

@testable import waypost

/// Tests of the options that make a service a double for tests.
@Suite struct TestProfileTests {
    @Test("The command line, the environment and the file come before the profile")
    func precedence() throws {
        let file = try ConfigurationFile("log-level: debug\nprofile: test", path: "w.yaml")
        let arguments = EnvironmentOptions.insert(
            into: ["serve", "--access-log", "on"], from: ["WAYPOST_STORE": "sqlite:x"], file)
        #expect(arguments.contains("--profile=test"))
        #expect(arguments.contains("--store=sqlite:x") && !arguments.contains("--store=memory"))
        #expect(arguments.contains("--log-level=debug"))
        #expect(arguments.contains("--max-new-sessions-per-address=0"))
        #expect(arguments.suffix(2) == ["--access-log", "on"])
        let inForce = OptionsInForce(
            arguments: ["--profile", "test"], environment: [:], file: nil, defaults: [:])
        #expect(inForce.options.contains { $0.line == "store: memory  # profile test" })
    }

    @Test("A test moves the clock, resets the service, and finds the seed again")
    func clockAndReset() async throws {
        let result = try await Shell.run(
            """
            cat > seed.yaml <<'END'
            accounts: [{ username: ada, password: correct horse battery staple }]
            sessions: [{ id: "00000000000000000000000000000001", account: ada, open: /authors/jules-verne,
              token: wps_0000000000000000000000000000000000000000000000000000000000000001 }]
            END
            \(Shell.waypost) serve --profile test --test-clock --port 0 --ready-file ready --seed seed.yaml \\
              > /dev/null & service=$!
            url=$(seen '.+' ready) || exit 9; id=00000000000000000000000000000001
            show() { curl -s "$url/v1/sessions/$id" \\
              -H "Authorization: Bearer wps_0000000000000000000000000000000000000000000000000000000000000001" |
              jq -c '.revision // .code, .viewControllers[-1].title?' | paste -sd ' '; }
            show
            curl -s "$url/test/clock" --json '{"advance": -1}' | jq -c '.code, .errors[0].pointer'
            curl -s "$url/test/clock" --json '{"advance": 3162240001}' | jq -c .code
            curl -s "$url/test/clock" --json '{"advance": 31622400}' | jq -r .now | cut -c1-4
            show
            curl -s "$url/test/clock" --json '{"advance": 3162240000}' | jq -c 'has("now")'
            curl -s -o reset -w '%{http_code}\\n' -X POST "$url/test/reset"
            curl -s "$url/test/clock" | jq -r .now | cut -c1-4
            show
            kill $service; wait $service; echo "exit $?"; ls ready
            """)
        let year = Calendar.current.component(.year, from: Date())
        #expect(
            result.output == """
                1 "Jules Verne"
                "invalid-body"
                "/advance"
                "invalid-body"
                \(year + 1)
                "session-not-found" null
                true
                204
                \(year)
                1 "Jules Verne"
                exit 0

                """, "\(result.output)\(result.errors)")
    }

    @Test("A reset tells the clients of streams that their sessions are deleted")
    func streams() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --profile test --port 0 --ready-file ready > /dev/null & service=$!
            url=$(seen '.+' ready) || exit 9
            session=$(curl -s -X POST $url/v1/sessions)
            curl -s --no-buffer $url/v1/sessions/$(echo "$session" | jq -r .id)/changes \\
              -H "Authorization: Bearer $(echo "$session" | jq -r .token)" > messages & stream=$!
            seen ^data messages > begun
            curl -s -X POST "$url/test/reset"
            wait $stream
            grep -A 1 '^event: end' messages
            kill $service; wait $service
            """)
        #expect(
            result.output == "event: end\ndata: {\"reason\":\"deleted\"}\n",
            "\(result.output)\(result.errors)")
    }

    @Test("Wrong passwords before a reset delay neither the seed's log-ins nor those of clients")
    func wrongPasswords() async throws {
        let result = try await Shell.run(
            """
            cat > seed.yaml <<'END'
            accounts: [{ username: ada, password: correct horse battery staple }]
            sessions: [{ id: "00000000000000000000000000000001", account: ada,
              token: wps_0000000000000000000000000000000000000000000000000000000000000001 }]
            END
            \(Shell.waypost) serve --profile test --port 0 --ready-file ready --seed seed.yaml \\
              > /dev/null & service=$!
            url=$(seen '.+' ready) || exit 9
            log_in() {
              curl -s -X POST "$url/v1/sessions" > opened
              curl -s "$url/v1/sessions/$(jq -r .id opened)/log-in" \\
                -H "Authorization: Bearer $(jq -r .token opened)" \\
                --json "$(jq -n --arg password "$1" '{username: "ada", $password}')" |
                jq -r '.code // .session.auth.username'
            }
            for attempt in 1 2 3 4 5; do log_in 'not the password'; done | sort -u
            curl -s -o reset -w '%{http_code}\\n' -X POST "$url/test/reset"
            log_in 'not the password'
            log_in 'correct horse battery staple'
            kill $service
            """)
        #expect(
            result.output == "wrong-password\n204\nwrong-password\nada\n",
            "\(result.output)\(result.errors)")
    }

    @Test("A ready file is gone after its service, and before the next one listens")
    func staleReadyFile() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --profile test --port 0 --ready-file ready > /dev/null & service=$!
            port=$(seen '.*:\\K[0-9]+' ready) || exit 9
            echo old > other
            \(Shell.waypost) serve --profile test --port $port --ready-file other; echo "exit $?"
            ls other; kill $service; wait $service; ls ready
            \(Shell.waypost) serve --profile test --port 0 --ready-file none/ready
            """)
        #expect(result.output == "exit 2\n", "\(result.errors)")
        #expect(
            result.errors.contains("none/ready: the file cannot be written: No such file or"),
            "\(result.errors)")
    }

    @Test("A service without the two options has neither route") func absent() async throws {
        let result = try await Shell.run(
            """
            \(Shell.waypost) serve --store memory --port 0 --ready-file ready > /dev/null & service=$!
            url=$(seen '.+' ready) || exit 9
            curl -s "$url/test/clock" | jq -r .code
            curl -s -X POST "$url/test/reset" | jq -r .code
            kill $service
            """)
        #expect(result.output == "not-found\nnot-found\n", "\(result.errors)")
    }
}
