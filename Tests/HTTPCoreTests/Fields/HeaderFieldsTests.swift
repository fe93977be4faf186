import Testing

@testable import HTTPCore

@Suite("Header fields")
struct HeaderFieldsTests {
    private let headers: HeaderFields = [
        "Accept": "text/html", "ETag": "\"1\"", "accept": "application/json", "X-Empty": "",
    ]

    @Test("Names compare without regard to case", arguments: ["ETag", "etag", "ETAG", "eTAG"])
    func names(name: String) {
        #expect(headers[name] == "\"1\"")
    }

    @Test(
        "Only letters have case, and no name is part of another",
        arguments: [("X[", "X{"), ("X@", "X`"), ("Accept", "Accep"), ("X-A", "X_A"), ("É", "é")])
    func differentNames(name: String, other: String) {
        let headers: HeaderFields = [name: "1"]
        #expect(headers[name] == "1")
        #expect(headers[other] == nil)
    }

    @Test("The first of several values is the field's")
    func first() {
        #expect(headers["Accept"] == "text/html")
        #expect(headers["X-Empty"] == "")
        #expect(headers["Missing"] == nil)
    }

    @Test("All values of a field come in order")
    func values() {
        #expect(headers.values("ACCEPT") == ["text/html", "application/json"])
        #expect(headers.values("Missing").isEmpty)
    }

    @Test("A list that came in several fields is one list")
    func combined() {
        #expect(headers.combined("accept") == "text/html, application/json")
        #expect(headers.combined("etag") == "\"1\"")
        #expect(headers.combined("Missing") == nil)
    }

    @Test("A field that is appended is the last, and replaces none")
    func append() {
        var headers = headers
        headers.append("ETag", "\"2\"")
        #expect(headers["ETag"] == "\"1\"")
        #expect(headers.fields.last == HeaderFields.Field(name: "ETag", value: "\"2\""))
        #expect(headers.fields.count == 5)
    }
}
