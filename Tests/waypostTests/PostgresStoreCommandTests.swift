import PostgresStore
import SessionStoreTesting
import Testing
import WaypostTesting

/// Tests of the commands for a store in a PostgreSQL database.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct PostgresStoreCommandTests {
    @Test("The commands migrate, check and reset the store, and the service refuses its backup")
    func commands() async throws {
        let url = try TestDatabase.makeURL()
        let result = try await Shell.run(
            Script.serve + """
                store='\(url)'
                on() { \(Shell.waypost) "$@" --store "$store"; echo "exit $?"; }
                on store migrate | sed -E 's/(to|version) [0-9]+$/\\1 N/'
                on store migrate | sed -E 's/(to|version) [0-9]+$/\\1 N/'
                serve --admin-socket op.sock
                curl --silent -X POST $url/v1/sessions > session
                for command in 'backup copy.sqlite' 'store check'; do
                  \(Shell.waypost) $command --admin-socket op.sock; echo "exit $?"
                done
                on store check
                kill $service; wait $service
                on restore copy.sqlite
                on store reset --yes
                on store check
                """)
        let name = try ConnectionTarget(url).description
        #expect(
            result.output == """
                \(name): migrated from schema version 0 to N
                exit 0
                \(name): already has schema version N
                exit 0
                exit 2
                exit 2
                \(name): 1 sessions, 0 accounts
                exit 0
                exit 2
                \(name): removed 1 sessions and 0 accounts
                exit 0
                \(name): 0 sessions, 0 accounts
                exit 0

                """, "\(result.errors)")
        let reason = "the service keeps its store in a PostgreSQL database: "
        #expect(
            result.errors.hasPrefix(
                """
                \(reason)back it up with pg_basebackup
                \(reason)check it with `waypost store check --store URL`
                Error: the store is a PostgreSQL database: use pg_basebackup for backups, restore \
                them as docs/cluster.md says, and give other commands the --admin-socket of one of \
                its services

                """), "\(result.errors)")
    }
}
