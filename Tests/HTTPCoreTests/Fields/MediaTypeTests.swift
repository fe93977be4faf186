import Testing

@testable import HTTPCore

@Suite("Media types")
struct MediaTypeTests {
    @Test(
        "A media type has its type and charset in lower case, without other parameters",
        arguments: [
            ("application/json", "application/json", nil),
            ("Application/JSON", "application/json", nil),
            (" application/json ; charset=utf-8", "application/json", "utf-8"),
            ("application/json;charset=UTF-8", "application/json", "utf-8"),
            ("application/json; Charset=\"UTF-8\"", "application/json", "utf-8"),
            ("application/json; a=b; charset=latin1", "application/json", "latin1"),
            ("application/json; charset=a; charset=b", "application/json", "a"),
            ("application/json;", "application/json", nil), ("", "", nil), (";", "", nil),
        ] as [(String, String, String?)])
    func parts(field: String, essence: String, charset: String?) {
        let type = MediaType(field)
        #expect(type.essence == essence)
        #expect(type.charset == charset)
    }
}
