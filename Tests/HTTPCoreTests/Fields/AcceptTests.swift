import HTTPCore
import Testing

@Suite("The field Accept")
struct AcceptTests {
    @Test(
        "A client accepts JSON unless its Accept field excludes it",
        arguments: [
            "*/*", "application/json", "application/*", "Application/JSON", "text/html, */*;q=0.1",
            "application/json;q=0.001", "application/json; charset=utf-8",
            "text/html,application/*",
            "application/*;q=0, application/json", "*/*;q=0, application/*;q=0.5", "", ",", "json",
            "application/json;q=0.0, application/json;v=1",
        ])
    func taken(_ field: String) {
        #expect((["Accept": field] as HeaderFields).accepts(oneOf: ["application/json"]))
    }

    @Test(
        "The most specific range of an Accept field decides, regardless of order and parameters",
        arguments: [
            "text/html", "application/xml, text/*", "application/json;q=0", "*/*;q=0.000",
            "application/*;q=0, */*", "application/json; q=0, application/*, */*",
            "application/problem+json", "application/jsonx",
        ])
    func excluded(_ field: String) {
        #expect(!(["Accept": field] as HeaderFields).accepts(oneOf: ["application/json"]))
    }

    @Test("Several Accept fields are one list, and one acceptable type suffices")
    func several() {
        let fields: HeaderFields = ["Accept": "text/html", "accept": "image/png"]
        #expect(fields.accepts(oneOf: ["image/gif", "image/png"]))
        #expect(!fields.accepts(oneOf: ["image/gif"]))
        #expect(fields.accepts(oneOf: []))
        #expect(HeaderFields().accepts(oneOf: ["image/gif"]))
    }
}
