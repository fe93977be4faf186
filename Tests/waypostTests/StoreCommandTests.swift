import Foundation
import Testing
import WaypostTesting

@testable import waypost

/// Tests of the commands with which an operator maintains the store.
@Suite struct StoreCommandTests {
    /// Starts a service on `store.sqlite` and opens a session. Variables have its path and token.
    private static let start =
        Script.serve + """
            call() { curl --silent "$url$path$1" -H "Authorization: Bearer $token" "${@:2}"; }
            serve
            session=$(curl --silent -X POST $url/v1/sessions)
            path=/v1/sessions/$(echo "$session" | jq -r .id)
            token=$(echo "$session" | jq -r .token)
            call /push --json '{"scene": "signUp"}' | jq .session.revision

            """

    @Test("A session survives kill -9 and a restart on the same store") func restart()
        async throws
    {
        let result = try await Shell.run(
            Self.start + """
                kill -9 $service; wait $service 2> /dev/null
                serve
                call '' | jq -c '[.revision, .navigationBar.backButton.title]'
                call /back -X POST | jq -c '[.session.revision, .events[].seq]'
                kill $service; wait $service
                """)
        #expect(result.output == "2\n[2,\"Log In\"]\n[3,13,14,15,16,17,18]\n")
        #expect(result.status == 0)
    }

    @Test("A second service on one store file is refused with the process id of the first")
    func secondService() async throws {
        let result = try await Shell.run(
            Self.start + """
                \(Shell.waypost) serve --port 0 --store $store
                echo "status $?, holder $service"
                kill $service; wait $service
                """)
        let holder = try #require(result.output.firstMatch(of: /status 2, holder (\d+)/))
        #expect(result.errors.contains("store.sqlite: in use by process \(holder.1)"))
    }

    @Test("A store is reset with --yes alone, and not while a service uses it")
    func reset() async throws {
        let result = try await Shell.run(
            Self.start + """
                \(Shell.waypost) store reset --store $store 2> error; echo "$? $(head -1 error)"
                \(Shell.waypost) store reset --yes --store $store 2> error; echo "$?"
                grep -o 'in use by process' error
                kill $service; wait $service
                WAYPOST_STORE=$store \(Shell.waypost) store reset --yes
                \(Shell.waypost) store reset --yes --store $store
                echo notes > notes.txt
                \(Shell.waypost) store reset --yes --store sqlite:notes.txt; echo "$?"
                cat notes.txt
                python3 -c 'import sqlite3
                sqlite3.connect("other.sqlite").executescript("CREATE TABLE note (text)")'
                \(Shell.waypost) store reset --yes --store sqlite:other.sqlite 2>&1 | grep -o '[^/]*$'
                ls other.sqlite*
                serve
                call '' | jq -r .code
                kill $service; wait $service
                """)
        let store = try #require(result.output.firstMatch(of: /(\S+): removed;/)).1
        #expect(
            result.output == """
                2
                2 Error: this removes all sessions and accounts of sqlite:\(store): add --yes to \
                confirm the removal
                2
                in use by process
                \(store): removed; the service creates a new store when it starts
                \(store): there is no store, so there is nothing to remove
                2
                notes
                other.sqlite: an SQLite database without Waypost's tables, which is neither a store nor a \
                backup of Waypost; name a file that waypost serve or waypost backup has made
                other.sqlite
                session-not-found

                """)
    }

    @Test("A symbolic link names the store to which it leads") func symbolicLink() async throws {
        let result = try await Shell.run(
            Script.serve + """
                mkdir disk
                ln -s disk/w.sqlite link
                ln -s $PWD/link other.sqlite
                store=sqlite:other.sqlite
                serve
                ls disk
                mkdir -p state/waypost; ln -s $PWD/link state/waypost/waypost.sqlite
                XDG_STATE_HOME=$PWD/state \(Shell.waypost) account list; echo $?
                \(Shell.waypost) store reset --yes --store sqlite:disk/w.sqlite; echo $?
                \(Shell.waypost) store reset --yes --store $store; echo $?
                kill $service; wait $service
                \(Shell.waypost) store reset --yes --store $store
                ls disk
                readlink link
                """)
        #expect(
            result.output.split(separator: "\n").map { $0.replacing(/.*\/disk\//, with: "…/") } == [
                "w.sqlite", "w.sqlite-wal", "w.sqlite.lock", "w.sqlite.socket", "0", "2", "2",
                "…/w.sqlite: removed; the service creates a new store when it starts",
                "w.sqlite.lock", "disk/w.sqlite",
            ])
    }

    @Test("A restore from a symbolic link reads the file's log and respects its service")
    func linkToBackup() async throws {
        let result = try await Shell.run(
            Self.start + """
                ln -s store.sqlite link
                \(Shell.waypost) restore link --store sqlite:new.sqlite; echo $?
                kill -9 $service; wait $service 2> /dev/null
                \(Shell.waypost) restore link --store sqlite:new.sqlite
                \(Shell.waypost) store check --store sqlite:new.sqlite
                """)
        #expect(
            result.output == """
                2
                2
                restored new.sqlite from link
                new.sqlite: 1 sessions, 0 accounts

                """)
        #expect(result.errors.contains("store.sqlite: cannot be opened: a service uses it"))
    }

    @Test("A backup is made by the running service and can be restored after it has stopped")
    func backup() async throws {
        let result = try await Shell.run(
            Self.start + """
                \(Shell.waypost) backup backup.sqlite --store $store
                \(Shell.waypost) store check --store $store
                call /push --json '{"scene": "signUp"}' | jq .session.revision
                \(Shell.waypost) restore backup.sqlite --store $store; echo "status $?"
                kill $service; wait $service
                \(Shell.waypost) restore backup.sqlite --store $store
                serve
                call '' | jq .revision
                kill $service; wait $service
                """)
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 8)
        #expect(lines[0] == "2")
        #expect(lines[1].hasPrefix("copied into ") && lines[1].hasSuffix("/backup.sqlite"))
        #expect(lines[2].hasSuffix("store.sqlite: 1 sessions, 0 accounts"))
        #expect(lines[3] == "3")
        #expect(lines[4] == "status 2")
        #expect(result.errors.contains("in use by process"))
        #expect(lines[6].hasSuffix("store.sqlite.before-restore"))
        #expect(lines[7] == "2")
    }

    @Test("A session with a damaged row is named, kept by a restore on request, and can be ended")
    func damagedSession() async throws {
        let result = try await Shell.run(
            Self.start + """
                id=${path##*/}
                kill $service; wait $service
                python3 -c 'import sqlite3
                with sqlite3.connect("store.sqlite") as db: db.execute("UPDATE session SET tail = CAST(1 AS BLOB)")'
                serve
                \(Shell.waypost) backup backup.sqlite --store $store > copied
                \(Shell.waypost) session show $id --store $store; echo "show $?"
                kill $service; wait $service
                \(Shell.waypost) restore backup.sqlite --store $store; echo "restore $?"
                \(Shell.waypost) restore backup.sqlite --store $store --keep-damaged-rows > restored
                echo "restore $?"
                serve
                call '' | jq -r .code
                \(Shell.waypost) session end $id --store $store | grep -c "$id has ended"
                call '' | jq -r .code
                \(Shell.waypost) store check --store $store > checked; echo "check $?"
                \(Shell.waypost) session end $id --store $store; echo "end $?"
                kill $service; wait $service
                echo $id
                """)
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 10)
        #expect(
            lines.dropLast() == [
                "2", "show 2", "restore 2", "restore 0", "storage-unavailable", "1",
                "session-not-found", "check 0", "end 2",
            ])
        let name = "backup.sqlite: session \(lines[9]): the column"
        #expect(result.errors.split(separator: "\n").count { $0.hasPrefix(name) } == 2)
        #expect(result.errors.contains("; end it with `waypost session end \(lines[9])`"))
        #expect(result.errors.contains("1 row is damaged; restore another backup, or add --keep"))
    }

    @Test("`backup` and `store check` reach a service at its --admin-socket")
    func movedSocket() async throws {
        let result = try await Shell.run(
            Script.serve + """
                serve --admin-socket op.sock
                curl --silent -X POST $url/v1/sessions > session
                \(Shell.waypost) backup one --store $store --admin-socket op.sock; echo $?
                \(Shell.waypost) store check --store $store --admin-socket op.sock
                export WAYPOST_ADMIN_SOCKET=op.sock
                \(Shell.waypost) backup two --store $store | grep -c copied
                \(Shell.waypost) store check --store $store
                unset WAYPOST_ADMIN_SOCKET
                \(Shell.waypost) backup three --store $store; echo $?
                kill $service; wait $service
                """)
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 6)
        #expect(lines[0].hasPrefix("copied into "))
        #expect(lines[1] == "0")
        #expect(lines[2].hasSuffix("1 sessions, 0 accounts"))
        #expect(lines[3] == "1")
        #expect(lines[4].hasSuffix("1 sessions, 0 accounts"))
        #expect(lines[5] == "2")
        #expect(result.errors.contains("name its socket with --admin-socket"))
    }

    @Test("`store check` names the store that the service has read")
    func nameOfCheckedStore() async throws {
        let result = try await Shell.run(
            Script.serve + #"""
                serve --admin-socket op.sock
                \#(Shell.waypost) store check --admin-socket op.sock
                \#(Shell.waypost) store check --admin-socket op.sock --store sqlite:other.sqlite
                echo "$PWD"
                kill $service; wait $service
                """#, environment: ["XDG_STATE_HOME": "/nonexistent"])
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        for line in lines[..<2] {
            #expect(line == "\(lines[2])/store.sqlite: 0 sessions, 0 accounts")
        }
    }

    @Test("`backup` and `store check` fail if no service listens at the socket that alone is named")
    func namedSocketWithoutService() async throws {
        let result = try await Shell.run(
            Self.start + """
                kill $service; wait $service
                mkdir waypost; mv store.sqlite waypost/waypost.sqlite
                export XDG_STATE_HOME=$PWD
                \(Shell.waypost) store check --admin-socket op.sock; echo $?
                \(Shell.waypost) backup copy.sqlite --admin-socket op.sock; echo $?
                \(Shell.waypost) store check; echo $?
                """)
        #expect(result.output.hasPrefix("2\n2\n2\n"))
        #expect(result.output.hasSuffix("waypost.sqlite: 1 sessions, 0 accounts\n0\n"))
        let reason =
            "no service listens at op.sock: start the service, or name its socket with "
            + "--admin-socket\n"
        #expect(result.errors == reason + reason)
    }

    @Test("The metric of the last backup is 0 before the first one, and then its time")
    func timeOfLastBackup() async throws {
        let result = try await Shell.run(
            Script.serve + """
                last() { curl --silent $url/metrics | grep '^waypost_last_backup' | cut -d ' ' -f 2; }
                serve
                last
                \(Shell.waypost) backup /nonexistent/b.sqlite --store $store
                last
                date +%s
                \(Shell.waypost) backup b.sqlite --store $store > copied
                last
                date +%s
                kill $service; wait $service
                """)
        let times = result.output.split(separator: "\n").compactMap { Int($0) }
        try #require(times.count == 5)
        #expect(times[..<2] == [0, 0])
        #expect((times[2]...times[4]).contains(times[3]))
    }

    @Test("`backup` names the whole path that cannot be created, and the cause once")
    func impossibleBackup() async throws {
        let result = try await Shell.run(
            Script.serve + """
                serve
                \(Shell.waypost) backup /nonexistent/b.sqlite --store $store; echo $?
                kill $service; wait $service
                """)
        #expect(result.output == "2\n")
        #expect(
            result.errors
                == "/nonexistent/b.sqlite cannot be created: No such file or directory\n")
    }

    @Test("The file copy that `backup` recommends for a stopped store is restored with its log")
    func advisedCopy() async throws {
        let result = try await Shell.run(
            Self.start + """
                kill -9 $service; wait $service 2> /dev/null
                \(Shell.waypost) backup copy --store $store
                mkdir copies; cp store.sqlite store.sqlite-wal copies/
                \(Shell.waypost) restore copies/store.sqlite --store sqlite:$PWD/new.sqlite
                \(Shell.waypost) store check --store sqlite:$PWD/new.sqlite
                """)
        #expect(result.errors.contains("store.sqlite-wal: `waypost restore` accepts these files"))
        #expect(result.output.contains("new.sqlite: 1 sessions, 0 accounts"))
    }

    @Test("`store check` fails for a file that is not a store and does not change it")
    func checkOfNoStore() async throws {
        let result = try await Shell.run(
            """
            : > empty; echo hello > text
            for file in empty text none; do
              \(Shell.waypost) store check --store sqlite:$PWD/$file; echo $?
            done
            wc -c < empty; cat text; ls -I output -I errors
            """)
        #expect(result.output == "1\n1\n2\n0\nhello\nempty\ntext\n")
        for reason in ["an empty file", "not an SQLite database", "there is no store"] {
            #expect(result.errors.contains(reason))
        }
    }

    @Test(
        "A service whose store was removed refuses changes, and a reset removes the log that is left"
    )
    func removedStore() async throws {
        let result = try await Shell.run(
            Self.start + """
                rm store.sqlite
                call /pop -X POST | jq -r .code
                curl --silent --output /dev/null --write-out '%{http_code}\\n' $url/readyz
                \(Shell.waypost) store reset --yes --store $store; echo $?
                kill $service; wait $service
                ls store.sqlite*
                \(Shell.waypost) store reset --yes --store $store | grep -o ': removed'
                ls store.sqlite*
                """)
        #expect(
            result.output == """
                2
                storage-unavailable
                503
                2
                store.sqlite-wal
                store.sqlite.lock
                : removed
                store.sqlite.lock

                """, "\(result.errors)")
    }

    @Test("`store reset` removes a store whose end is missing, also beside WAYPOST_ADMIN_SOCKET")
    func resetOfTruncatedStore() async throws {
        let result = try await Shell.run(
            Self.start + """
                kill $service; wait $service
                truncate -s 5000 store.sqlite
                \(Shell.waypost) store check --store $store; echo $?
                \(Shell.waypost) store reset --store $store --yes; echo $?
                ls store.sqlite || echo removed
                """, environment: ["WAYPOST_ADMIN_SOCKET": "op.sock"])
        #expect(result.errors.contains("the end of the file is missing"))
        #expect(result.output.contains("removed"))
        let statuses = result.output.split(separator: "\n").filter { ["0", "1"].contains($0) }
        #expect(statuses == ["1", "0"])
    }

    @Test("A service with the store in memory refuses a backup and a check, and says why")
    func storeInMemory() async throws {
        let result = try await Shell.run(
            Script.serve + """
                serve --store memory --admin-socket socket
                \(Shell.waypost) backup copy.sqlite --admin-socket socket; echo $?
                \(Shell.waypost) store check --admin-socket socket; echo $?
                kill $service; wait $service
                """)
        #expect(result.output == "2\n2\n")
        #expect(
            result.errors == """
                the service keeps its store in memory: only a sqlite:FILE can be backed up
                the service keeps its store in memory: only a sqlite:FILE can be checked

                """)
    }

    @Test("`store check` does not read a store whose lock file cannot be opened")
    func unreadableLock() async throws {
        let result = try await Shell.run(
            Self.start + """
                kill $service; wait $service
                rm store.sqlite.lock; ln -s store.sqlite.lock store.sqlite.lock
                \(Shell.waypost) store check --store $store; echo "status $?"
                """)
        #expect(result.output.hasSuffix("status 2\n"))
        #expect(result.errors.contains("store.sqlite.lock"))
    }
}
