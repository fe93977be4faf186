import Testing

@testable import HTTPCore

@Suite("Header fields")
struct HeaderFieldsTests {
    private let headers: HeaderFields = [
        "Accept": "text/html", "ETag": "\"1\"", "accept": "application/json", "X-Empty": "",
    ]

    @Test(
        "Names of header fields compare without regard to case",
        arguments: ["ETag", "etag", "ETAG", "eTAG"])
    func names(name: String) {
        #expect(headers[name] == "\"1\"")
    }

    @Test(
        "Only ASCII letters in field names have a case, and a prefix is a different name",
        arguments: [("X[", "X{"), ("X@", "X`"), ("Accept", "Accep"), ("X-A", "X_A"), ("É", "é")])
    func differentNames(name: String, other: String) {
        let headers: HeaderFields = [name: "1"]
        #expect(headers[name] == "1")
        #expect(headers[other] == nil)
    }

    @Test("The value of a repeated header field is the first one")
    func first() {
        #expect(headers["Accept"] == "text/html")
        #expect(headers["X-Empty"] == "")
        #expect(headers["Missing"] == nil)
    }

    @Test("All values of a header field are returned in their order")
    func values() {
        #expect(headers.values("ACCEPT") == ["text/html", "application/json"])
        #expect(headers.values("Missing").isEmpty)
    }

    @Test("A list in several header fields is combined into one list")
    func combined() {
        #expect(headers.combined("accept") == "text/html, application/json")
        #expect(headers.combined("etag") == "\"1\"")
        #expect(headers.combined("Missing") == nil)
    }

    @Test("An appended header field is the last one and replaces none")
    func append() {
        var headers = headers
        headers.append("ETag", "\"2\"")
        #expect(headers["ETag"] == "\"1\"")
        #expect(headers.fields.last == HeaderFields.Field(name: "ETag", value: "\"2\""))
        #expect(headers.fields.count == 5)
        #expect(headers.count == 5)
    }

    @Test("A single value is read of a field that occurs once, and of no other field")
    func only() {
        #expect(headers.singleValue(of: "eTag") == "\"1\"")
        #expect(headers.singleValue(of: "X-Empty") == "")
        #expect(headers.singleValue(of: "Accept") == nil)
        #expect(headers.singleValue(of: "Missing") == nil)
    }

    @Test("Header fields are equal if their order is, regardless of their capacity")
    func equality() {
        var others = HeaderFields(capacity: 4096)
        for field in headers.fields { others.append(field.name, field.value) }
        #expect(others == headers)
        #expect(HeaderFields(headers.fields.reversed()) != headers)
        #expect(HeaderFields(headers.fields.dropLast()) != headers)
        // The names and values of these two fields consist of the same bytes in total.
        #expect(["A": "BC"] as HeaderFields != ["AB": "C"])
    }

    @Test(
        "Names and values of header fields may have any length",
        arguments: [0, 1, 15, 16, 63, 64, 65, 255, 70_000])
    func lengths(length: Int) {
        let (name, value) = (
            String(repeating: "n", count: max(length, 1)), String(repeating: "v", count: length)
        )
        var headers: HeaderFields = ["First": "1"]
        headers.append(name, value)
        headers.append("Last", "2")
        #expect(headers[name] == value)
        #expect(headers[name + "n"] == nil)
        #expect(headers.fields.map(\.value) == ["1", value, "2"])
        #expect(headers["last"] == "2")
    }

    @Test("The name and the value of a raw header field each end with a NUL for C")
    func zeros() {
        let texts = headers.withRawFields { fields in
            fields.flatMap { name, value in
                [name, value].map { String(cString: $0.bindMemory(to: CChar.self).baseAddress!) }
            }
        }
        #expect(texts == headers.fields.flatMap { [$0.name, $0.value] })
    }

    @Test(
        "A header value that is not UTF-8 keeps its bytes and is repaired when read as text")
    func bytes() {
        var headers = HeaderFields()
        for value: [UInt8] in [[0xFF], []] {
            Array("X".utf8).withUnsafeBytes { name in
                value.withUnsafeBytes { headers.append(name, $0) }
            }
        }
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        headers.append(none, none)
        #expect(headers.values("x") == ["\u{FFFD}", ""])
        #expect(headers.fields.last == HeaderFields.Field(name: "", value: ""))
        #expect(headers.withRawFields { $0.map { Array($0.value) } } == [[0xFF], [], []])
    }
}
