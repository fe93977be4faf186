import Testing
import WaypostTesting

/// Tests of the commands with which an operator looks at the sessions of a running service.
@Suite(.timeLimit(.minutes(10))) struct SessionCommandTests {
    /// Starts a service with an account `ada`, which is logged in to two sessions.
    private static let start =
        Script.serve + #"""
            account() { \#(Shell.waypost) account "$1" --store $store "${@:2}"; }
            session() { \#(Shell.waypost) session "$1" --store $store "${@:2}"; }
            enter() {
              opened=$(curl --silent -X POST $url/v1/sessions)
              id=$(echo "$opened" | jq -r .id)
              token=$(echo "$opened" | jq -r .token)
              curl --silent $url/v1/sessions/$id/log-in -H "Authorization: Bearer $token" \
                --json '{"username": "ada", "password": "countess!"}' > /dev/null
            }
            finish() { kill $service; wait $service; }
            serve
            echo 'countess!' | account add ada
            enter; first=$id
            enter; second=$id

            """#

    @Test("The session command lists, shows and ends the sessions of an account")
    func sessions() async throws {
        let result = try await Shell.run(
            Self.start + #"""
                session list --account ada | sed 's/^[-0-9]*T[0-9:.]*Z  [0-9a-f]*  //'
                session list --account ada --json | jq -r .id | sort > ids
                printf '%s\n' $first $second | sort | cmp - ids && echo 'both'
                session show $first | jq -r '.session.auth.username, (.tokens | length)'
                session end $first | cut -d ' ' -f 2-
                session show $first 2>&1
                session list --account ada --json | jq -r .id | cmp - <(echo $second) && echo 'one'
                session show 12 2>&1
                finish
                """#)
        #expect(
            result.output.split(separator: "\n") == [
                "ada can log in", "Authors", "Authors", "both", "ada", "0", "has ended",
                "no session has this id", "one",
                "session: expected the 32 digits of a session's id",
            ])
        #expect(result.status == 0)
    }

    @Test("A name with characters that steer a terminal is printed as JSON with escapes")
    func namesThatSteer() async throws {
        let result = try await Shell.run(
            Self.start + #"""
                opened=$(curl --silent --json '{"name": "a\u202eb"}' $url/v1/sessions)
                id=$(echo "$opened" | jq -r .id)
                curl --silent $url/v1/sessions/$id/log-in                   -H "Authorization: Bearer $(echo "$opened" | jq -r .token)"                   --json '{"username": "ada", "password": "countess!"}' > /dev/null
                session show $id > shown
                session list --account ada --json | head -1 > listed
                account export ada > exported
                for file in shown listed exported; do
                  grep -cF '"a\u202eb"' $file; jq -e . $file > /dev/null; echo $?
                done
                finish
                """#)
        #expect(
            result.output == "ada can log in\n1\n0\n1\n0\n1\n0\n", "\(result.errors)")
    }

    /// The service gives one session on a page.
    @Test(
        "An export and a removal take the sessions of all pages, but for those that have ended"
    )
    func endedMeanwhile() async throws {
        let result = try await Shell.run(
            #"""
            cat > service.py << 'END'
            import json, socketserver
            from http.server import BaseHTTPRequestHandler
            pages = {None: {"items": [{"id": "1"}], "next": "b"},
                     "b": {"items": [{"id": "2"}], "next": "c"}, "c": {"items": [{"id": "3"}]}}
            class Handler(BaseHTTPRequestHandler):
                def do_POST(self):
                    body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                    ended = body.get("session") == "1"
                    answer = {"code": "session-not-found"} if ended else {
                        "/sessions/list": pages.get(body.get("after")),
                        "/sessions/show": {"session": {"id": body.get("session")}},
                        "/sessions/events": {"items": []}}.get(self.path, {})
                    self.send_response(404 if ended else 200)
                    self.end_headers()
                    self.wfile.write(json.dumps(answer).encode())
                def log_message(self, *_): print(self.path, flush=True)
            server = socketserver.UnixStreamServer("socket", Handler)
            print("ready", flush=True)
            server.serve_forever()
            END
            python3 service.py > log & service=$!
            until grep -q ready log; do kill -0 $service || exit 9; done
            account() { \#(Shell.waypost) account "$@" --admin-socket socket; echo "exit $?"; }
            account export ada | sed 's/"sessions":\(.*\)}/\1/'
            account remove ada --sessions
            tail -4 log
            # The tests start processes with blocked signals.
            kill -KILL $service
            """#)
        #expect(
            result.output == """
                {[{"name":null,"session":{"id":"2"},"events":[]},\
                {"name":null,"session":{"id":"3"},"events":[]}]
                exit 0
                ada is removed
                exit 0
                /sessions/end
                /sessions/end
                /sessions/end
                /accounts/remove

                """, "\(result.errors)")
    }

    @Test("All that is stored of an account is exported, and removed on request")
    func export() async throws {
        let result = try await Shell.run(
            Self.start + #"""
                account list --json | jq -c '[.username, .isDisabled]'
                account export ada > export.json
                jq -c '[.account.username, (.credentials | length), (.sessions | length)]' export.json
                jq -c '.sessions[0] | [.events[0].event, (.events | length) == .events[-1].seq]' export.json
                grep -c 'wp[sc]_' export.json
                account remove ada --sessions
                session show $second 2>&1
                account export ada 2>&1
                finish
                """#)
        #expect(
            result.output.split(separator: "\n") == [
                "ada can log in", #"["ada",false]"#, #"["ada",2,2]"#, #"["viewDidLoad",true]"#,
                "0", "ada is removed", "no session has this id", "no account has this username",
            ])
        #expect(result.status == 0)
    }
}
