import Testing

@testable import HTTPCore

@Suite("Methods")
struct MethodTests {
    @Test(
        "A method is known by its exact name, and keeps it",
        arguments: [
            ("GET", .get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch),
            ("DELETE", .delete), ("OPTIONS", .options), ("get", .other("get")),
            ("TRACE", .other("TRACE")), ("", .other("")),
        ] as [(String, HTTPCore.Method)])
    func name(name: String, method: HTTPCore.Method) {
        #expect(Method(name) == method)
        #expect(Method(name).name == name)
    }
}
