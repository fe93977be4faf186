import Foundation
import HTTPCore
import Testing
import WaypostTesting

@testable import WaypostAPI

@Suite struct ProblemGuideTests {
    @Test("The guide explains exactly the kinds of problems that exist") func meanings() {
        #expect(Set(ProblemGuide.meanings.keys) == Set(Problem.Kind.all))
    }

    /// Run it with `UPDATE_DOCS=1` to write the page.
    @Test("docs/problems.md is the document that the problem guide generates") func page() throws {
        let page = Shell.checkout.appending(path: "docs/problems.md")
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            try ProblemGuide.document.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == ProblemGuide.document)
    }

    @Test("A problem's type is a path of the service where it is explained") func type()
        async throws
    {
        let api = try TestService().api
        let problem = try await api.send("GET", "/nowhere")
        let type = try #require(problem.json["type"]?.text)
        let page = try await api.send("GET", type)
        #expect(page.status == 200)
        #expect(page.headers["Content-Type"] == "text/markdown; charset=utf-8")
        #expect(
            String(decoding: page.bytes, as: UTF8.self) == ProblemGuide.text(of: .notFound))
        #expect(try await api.send("GET", "/problems/none").code == "not-found")
    }
}
