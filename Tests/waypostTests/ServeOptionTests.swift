import Testing
import WaypostTesting

@testable import waypost

/// Tests of the values of options, and that options of `waypost serve` change what the service does.
@Suite struct ServeOptionTests {
    /// Opens a session as `$path` and `$token`, and defines `code`, which prints the status of a
    /// request and the code of its problem.
    private static let session = """
        open() {
          answer=$(curl -s "$url/v1/sessions" --json "$1")
          path=/v1/sessions/$(jq -r .id <<< "$answer"); token=$(jq -r .token <<< "$answer")
        }
        code() {
          curl -s -m 20 -o body -w '%{http_code} ' "$url$1" -H "Authorization: Bearer $token" "${@:2}"
          jq -r '.code // "-"' body
        }
        later() { curl -s "$url/test/clock" --json "{\\"advance\\": $1}" > clock; }

        """

    @Test("A session, a credential and the response to a key live as long as the options say")
    func lifetimes() async throws {
        let result = try await Shell.run(
            Script.serve + Self.session + """
                serve --test-clock --session-ttl 1h --credential-ttl 2h --idempotency-ttl 10m
                open '{}'
                credential=$(curl -s $url$path/sign-up -H "Authorization: Bearer $token" \\
                  --json '{"username": "ada", "password": "a long password"}' | jq -r .credential)
                push() {
                  curl -s $url$path/push -H "Authorization: Bearer $token" -H 'Idempotency-Key: one' \\
                    --json '{"scene": "titles"}' | jq -c .session.revision
                }
                push; later 540; push; later 120; push
                later 3540; code $path
                later 70; code $path
                open "{\\"credential\\": \\"$credential\\"}"; jq -c .auth.state <<< "$answer"
                later 7210; open "{\\"credential\\": \\"$credential\\"}"; jq -c .auth.reason <<< "$answer"
                kill $service; wait $service
                """)
        #expect(
            result.output == """
                3
                3
                4
                200 -
                404 session-not-found
                "loggedIn"
                "credential-expired"

                """, "\(result.errors)")
    }

    @Test("The limits of a session are those of the options")
    func limits() async throws {
        let result = try await Shell.run(
            Script.serve + Self.session + """
                serve --max-stack-depth 2 --max-title-length 20 --max-items 1 --max-session-size 90 \\
                  --max-streams-per-session 1
                open '{}'
                text=$(printf 'x%.0s' {1..20})
                code $path/sign-up --json '{"username": "ada", "password": "a long password"}'
                code $path/push --json '{"scene": "titles"}'
                code $path/push --json '{"scene": "titles"}'
                patch() { code $path/view-controllers/$top -X PATCH --json "$1"; }
                top=$(jq -r .viewControllers[-1].id <(curl -s $url$path -H "Authorization: Bearer $token"))
                patch "{\\"title\\": \\"$text\\"}"
                patch "{\\"title\\": \\"x$text\\"}"
                patch "{\\"toolbarItems\\": [\\"x\\"]}"
                patch "{\\"toolbarItems\\": [\\"x\\", \\"y\\"]}"
                patch "{\\"bottomBarText\\": \\"$text\\", \\"navigationItem\\": {\\"title\\": \\"$text\\", \\
                  \\"backButtonTitle\\": \\"$text\\", \\"rightItems\\": [\\"$text\\"]}}"
                curl -siN $url$path/changes -H "Authorization: Bearer $token" > stream & stream=$!
                seen '^HTTP/1.1 \\K[0-9]+' stream
                code $path/changes
                kill $stream $service; wait $service
                """)
        #expect(
            result.output == """
                200 -
                200 -
                409 stack-too-deep
                200 -
                422 invalid-body
                200 -
                422 invalid-body
                422 session-too-large
                200
                429 too-many-streams

                """, "\(result.errors)")
    }

    @Test("A page of another origin is admitted, the inspector is off, and a stop is announced")
    func access() async throws {
        let result = try await Shell.run(
            Script.serve + """
                serve --cors-origin https://a.example --inspector off --drain-delay 10m
                for origin in https://a.example https://b.example; do
                  curl -s -D - -o body $url/v1/storyboard -H "Origin: $origin" | tr -d '\\r' |
                    grep -io 'access-control-allow-origin: .*' || echo none
                done
                status() { curl -s -o body -w '%{http_code}\\n' $url$1; }
                status /inspector
                status /readyz
                kill $service
                while [ "$(status /readyz)" = 200 ]; do :; done
                status /readyz
                status /livez
                kill -9 $service; wait $service 2> killed
                """)
        #expect(
            result.output.lowercased() == """
                access-control-allow-origin: https://a.example
                none
                404
                200
                503
                200

                """, "\(result.errors)")
    }

    @Test(
        "The folder of the default store follows the environment",
        arguments: [
            (["HOME": "/h"], "/h/.local/state/waypost"),
            (["HOME": "/h", "XDG_STATE_HOME": "/x"], "/x/waypost"),
            (["HOME": "/h", "XDG_STATE_HOME": ""], "/h/.local/state/waypost"),
            (["XDG_STATE_HOME": "/x", "STATE_DIRECTORY": "/s:/t"], "/s"),
            (["XDG_STATE_HOME": "/x", "STATE_DIRECTORY": ""], "/x/waypost"),
        ])
    func defaultFolder(variables: [String: String], folder: String) {
        #expect(StoreOption.stateFolder(variables) == folder)
    }

    @Test(
        "A duration option needs a number above 0 and a unit of s, m, h or d",
        arguments: [
            ("90s", true), ("12h", true), ("0d", false), ("5", false), ("1w", false),
            ("3153600000s", true), ("3153600001s", false), ("36500d", true), ("36501d", false),
            ("9223372036854775807d", false),
        ])
    func durations(_ span: String, _ isTaken: Bool) throws {
        #expect((DurationOption(argument: span) != nil) == isTaken)
        #expect((DelayOption(argument: span) != nil) == (isTaken || span == "0d"))
    }

    @Test("The variable of a repeatable option has its values separated by blanks")
    func repeatedOptions() {
        let arguments = EnvironmentOptions.insert(
            into: ["serve"], from: ["WAYPOST_ALLOWED_HOST": "a.example b.example"])
        #expect(
            arguments == ["serve", "--allowed-host=a.example", "--allowed-host=b.example"])
        let given = ["serve", "--allowed-host", "c.example"]
        #expect(
            EnvironmentOptions.insert(into: given, from: ["WAYPOST_ALLOWED_HOST": "a.example"])
                == given)
    }
}
