import Testing

@testable import HTTPCore

@Suite("Methods")
struct MethodTests {
    @Test(
        "A request method is recognised by its exact name and keeps that name",
        arguments: [
            ("GET", .get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch),
            ("DELETE", .delete), ("OPTIONS", .options), ("get", Method("get")),
            ("TRACE", Method("TRACE")), ("", Method("")),
        ] as [(String, HTTPCore.Method)])
    func name(name: String, method: HTTPCore.Method) {
        #expect(Method(name) == method)
        #expect(Method(name).name == name)
    }
}
