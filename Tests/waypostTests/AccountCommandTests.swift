import Foundation
import Sockets
import TestSupport
import Testing
import WaypostTesting

/// Tests of the commands with which an operator manages accounts while the service runs.
@Suite(.timeLimit(.minutes(10))) struct AccountCommandTests {
    /// Starts a service. `account` runs the command on its store; `enter` signs up or logs in.
    private static let start =
        Script.serve + #"""
            account() { \#(Shell.waypost) account "$1" --store $store "${@:2}"; }
            open() {
              session=$(curl --silent -X POST $url/v1/sessions)
              path=$url/v1/sessions/$(echo "$session" | jq -r .id)
              token=$(echo "$session" | jq -r .token)
            }
            call() { curl --silent "$path$1" -H "Authorization: Bearer $token" "${@:2}"; }
            enter() {
              call /$1 --json "{\"username\": \"$2\", \"password\": \"$3\"}" |
                jq -r '.code // .session.auth.username'
            }
            root() { call '' | jq -r '"\(.window.root) \(.auth.reason)"'; }
            finish() { kill $service; wait $service; }

            """#

    @Test(
        "The account command adds, disables, enables, lists and removes accounts of a service")
    func accounts() async throws {
        let result = try await Shell.run(
            Self.start + """
                serve
                open
                echo 'countess!' | account add Ada.L
                echo 'countess!' | account add bob
                enter log-in ada.l 'countess!'
                account disable ADA.L
                root
                enter log-in ada.l 'countess!'
                account list | sed 's/^[-0-9]*T[0-9:.]*Z  //'
                account list --json | jq -c '[.username, .isDisabled, .createdAt[:2]]'
                account enable ada.l
                enter log-in ada.l 'countess!'
                echo analytical | account reset-password ada.l
                root
                enter log-in ada.l 'countess!'
                enter log-in ada.l analytical
                account remove ada.l
                root
                account list | wc -l
                finish
                """)
        #expect(
            result.output.split(separator: "\n") == [
                "Ada.L can log in", "bob can log in", "Ada.L", "ADA.L is disabled",
                "login credential-revoked", "wrong-password", "disabled  Ada.L",
                "active    bob", #"["Ada.L",true,"20"]"#, #"["bob",false,"20"]"#,
                "ada.l can log in again", "Ada.L", "ada.l has a new password",
                "login credential-revoked", "wrong-password", "Ada.L", "ada.l is removed",
                "null null", "1",
            ])
        #expect(result.errors.isEmpty)
        #expect(result.status == 0)
    }

    @Test("A refused account command gives the reason and changes nothing") func refusals()
        async throws
    {
        let result = try await Shell.run(
            Self.start + """
                serve
                echo 'countess!' | account add ada
                refused() { echo "$? $(cat errors)"; }
                echo 'countess!' | account add ADA 2> errors; refused
                echo short | account add bob 2> errors; refused
                echo password1 | account add bob 2> errors; refused
                echo bob.the.builder | account add Bob.the.Builder 2> errors; refused
                echo 'countess!' | account add 'b o b' 2> errors; refused
                account add bob < /dev/null 2> errors; refused
                printf 'countess\\xe4!\\n' | account add bob 2> errors; refused
                account disable bob 2> errors; refused
                account remove bob 2> errors; refused
                echo 'countess!' | account reset-password bob 2> errors; refused
                echo short | account reset-password ada 2> errors; refused
                account list | wc -l
                open
                enter log-in ada 'countess!'
                finish
                """)
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 14)
        let mentions = [
            "another account", "2 password: expected 8 to 256 bytes", "10,000 most common",
            "the same as the username",
            "letters, digits", "standard input", "the password is not in UTF-8",
            "no account has this username", "no account has this username",
            "no account has this username",
            "2 password: expected 8 to 256 bytes",
        ]
        for (line, mention) in zip(lines[1...], mentions) {
            #expect(line.hasPrefix("2 ") && line.contains(mention))
        }
        #expect(lines[12...] == ["1", "ada"])
    }

    @Test("With --sign-up closed only the account command creates accounts") func signUpClosed()
        async throws
    {
        let result = try await Shell.run(
            Self.start + """
                serve --sign-up closed
                open
                enter sign-up ada 'countess!'
                echo 'countess!' | account add ada
                enter log-in ada 'countess!'
                finish
                """)
        #expect(result.output == "sign-up-closed\nada can log in\nada\n")
    }

    @Test("An account command without a running service fails and names the socket")
    func noService() async throws {
        for command in ["list", "disable ada", "add ada <<< 'countess!'"] {
            let result = try await Shell.run(
                "\(Shell.waypost) account \(command) --store sqlite:$PWD/none".replacing(
                    "<<< 'countess!' --store sqlite:$PWD/none",
                    with: "--store sqlite:$PWD/none <<< 'countess!'"))
            #expect(result.status == 2)
            #expect(result.errors.contains("no service listens at"))
            #expect(result.errors.contains("none.socket"))
            #expect(result.output.isEmpty)
        }
    }

    @Test("An account command that may not use the socket says so")
    func permissionDenied() async throws {
        let result = try await Shell.run(
            Self.start + """
                mkdir closed
                serve --admin-socket closed/socket
                chmod 000 closed
                # Root could use the socket all the same.
                if [ "$(id -u)" = 0 ]; then
                  limited=(setpriv --bounding-set=-dac_override,-dac_read_search)
                fi
                "${limited[@]}" \(Shell.waypost) account list --admin-socket closed/socket; echo $?
                chmod 700 closed
                finish
                """)
        #expect(result.output == "2\n")
        #expect(
            result.errors.contains(
                "closed/socket: Permission denied: run the command as the user of the service"))
        #expect(!result.errors.contains("no service listens"))
    }

    @Test("An account command reports a service that ends the connection without a response")
    func noResponse() async throws {
        let folder = try TemporaryFolder()
        let listener = try Listener.listen(path: folder.file("socket"))
        listener.start { connection, _, _ in close(connection) }
        let result = try await Shell.run(
            "\(Shell.waypost) account list --admin-socket \(folder.file("socket"))")
        #expect(result.status == 2)
        #expect(result.errors.contains("ended the connection without a response"))
        #expect(result.output.isEmpty)
        _ = consume listener
    }

    @Test(
        "A command whose outcome the service does not know advises a check and no Idempotency-Key",
        arguments: [
            ("shutting-down", "is shutting down"), ("timed-out", "has taken too long"),
            ("outcome-unknown", "could not confirm the change"),
        ])
    func unknownOutcome(_ code: String, _ reason: String) async throws {
        let body = #"{"code": "\#(code)", "detail": "send it with the same Idempotency-Key"}"#
        let folder = try TemporaryFolder()
        let listener = try Listener.listen(path: folder.file("socket"))
        listener.start { connection, _, _ in
            let head =
                "HTTP/1.1 503 Service Unavailable\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            var request = [UInt8](repeating: 0, count: 4096)
            recv(connection, &request, request.count, 0)
            send(connection, head + body, (head + body).utf8.count, 0)
            close(connection)
        }
        let socket = folder.file("socket")
        let result = try await Shell.run(
            "\(Shell.waypost) account disable ada --admin-socket \(socket)")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                the service at \(socket) \(reason); the command may have taken effect: check before \
                you repeat the command

                """)
        _ = consume listener
    }

    /// The beginning of a Python script. `start` runs an account command with a terminal of its own.
    private static let terminal = """
        import os, pty, signal, sys, termios
        def start(*arguments):
            global controller, terminal, process
            controller, terminal = pty.openpty()
            process = os.fork()
            if process == 0:
                os.login_tty(terminal)
                os.execv("\(Shell.waypost)", ["waypost", "account", *arguments])
        def echoes(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
        def end(): return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])

        """

    @Test("A signal at the prompt for a password leaves the terminal with its echo")
    func signalAtPrompt() async throws {
        let result = try await Shell.run(
            """
            cat > prompt.py << 'END'
            \(Self.terminal)
            # The tests start processes with blocked signals, and some shells with ignored ones.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
                signal.signal(number, signal.SIG_DFL)
                start("add", "ada")
                os.read(controller, 100)
                while echoes(): pass
                os.kill(process, number)
                print(end() == -number, echoes())
            END
            python3 prompt.py
            """)
        #expect(result.output == "True True\nTrue True\nTrue True\nTrue True\n", "\(result.errors)")
    }

    @Test("A terminal asks for a password twice, and does not show it")
    func passwordAtTerminal() async throws {
        let result = try await Shell.run(
            Self.start + """
                cat > prompt.py << 'END'
                \(Self.terminal)
                start("add", "ada", "--store", sys.argv[1])
                shown = b""
                for prompt, password in zip((b"Password: ", b"again: "), sys.argv[2:]):
                    while not shown.endswith(prompt): shown += os.read(controller, 100)
                    while echoes(): pass
                    os.write(controller, password.encode() + b"\\n")
                status = end()
                os.close(terminal)
                try:
                    while True: shown += os.read(controller, 100)
                except OSError: print(status, shown.replace(b"\\r", b"").decode())
                END
                serve
                timeout 60 python3 prompt.py $store 'countess!' 'countess?'
                timeout 60 python3 prompt.py $store 'countess!' 'countess!'
                open
                enter log-in ada 'countess!'
                finish
                """)
        #expect(
            result.output == """
                2 Password: 
                Password again: 
                the two passwords differ, and nothing was changed: try again

                0 Password: 
                Password again: 
                ada can log in

                ada

                """, "\(result.errors)")
    }

    @Test("An account command finds the service by --store, its variable, or --admin-socket")
    func socket() async throws {
        let result = try await Shell.run(
            Self.start + """
                serve
                echo 'countess!' | account add ada
                list() { \(Shell.waypost) account list "$@" | sed 's/.*Z  //'; }
                WAYPOST_STORE=$store list
                finish
                store=memory
                serve --admin-socket $PWD/admin
                echo 'countess!' | \(Shell.waypost) account add bob --admin-socket $PWD/admin
                WAYPOST_STORE=$store list --admin-socket $PWD/admin
                WAYPOST_ADMIN_SOCKET=$PWD/admin list
                stat --format %a admin
                finish
                """)
        #expect(
            result.output.split(separator: "\n") == [
                "ada can log in", "active    ada", "bob can log in", "active    bob",
                "active    bob", "600",
            ])
        #expect(result.errors.isEmpty)
    }

    // MARK: Limits

    @Test("The options for session and sign-up limits and for trusted proxies take effect")
    func limits() async throws {
        let result = try await Shell.run(
            Self.start + """
                new() { curl --silent --output /dev/null --write-out '%{http_code}\\n' \\
                  -X POST $url/v1/sessions "$@"; }
                serve --max-new-sessions-per-address 2
                for i in 1 2 3; do new -H "X-Forwarded-For: 192.0.2.$i"; done
                finish
                serve --max-new-sessions-per-address 2 --trusted-proxy 127.0.0.0/8
                for i in 1 2 3 3 3; do new -H "X-Forwarded-For: 198.51.100.1, 192.0.2.$i"; done
                finish
                serve --max-new-accounts-per-address 1
                open
                enter sign-up ada short
                enter sign-up ada short
                finish
                """)
        #expect(
            result.output.split(separator: "\n") == [
                "201", "201", "429", "201", "201", "201", "201", "429", "invalid-body",
                "too-many-requests",
            ])
    }
}
