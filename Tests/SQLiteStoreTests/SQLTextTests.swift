import SQLStore
import Testing

/// Tests of the texts of statements for two databases.
struct SQLTextTests {
    @Test("Parameters and parts for one database become the SQL of this database")
    func texts() {
        let text = SQLText(
            "INSERT /*sqlite OR REPLACE*/ INTO a VALUES (?bytea) /*postgres ON b = ?text*/ -- ?uuid"
        )
        #expect(text.sqlite == "INSERT  OR REPLACE INTO a VALUES (?)  -- ?")
        #expect(
            text.postgres == "INSERT  INTO a VALUES ($1::bytea)  ON b = $2::text -- $3::uuid")
    }

    @Test("SQLite gets no values for the parameters that only PostgreSQL has")
    func values() {
        let text = SQLText(
            "SELECT 1 FROM a WHERE b = ?text /*postgres AND c = ?text*/ AND d = ?text")
        let values = text("b", "c", "d").sqliteValues.map { "\($0)" }
        #expect(values == [#"text("b")"#, #"text("d")"#])
    }

    @Test(
        "A statement that must meet a row divides by the number of rows in PostgreSQL",
        arguments: [
            ("SELECT 1 FROM a", "SELECT 1 / count(*) FROM (SELECT 1 FROM a) AS found"),
            (
                "DELETE FROM a",
                "WITH written AS (DELETE FROM a RETURNING 1) SELECT 1 / count(*) FROM written"
            ),
        ])
    func refusal(_ source: String, _ expected: String) {
        #expect(SQLText(source, orRefuse: .conflict).postgres == expected)
        #expect(SQLText(source, orRefuse: .conflict).sqlite == source)
    }
}
