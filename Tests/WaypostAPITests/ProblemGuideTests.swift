import Foundation
import HTTPCore
import Testing
import WaypostTesting

@testable import WaypostAPI

@Suite struct ProblemGuideTests {
    @Test("docs/problems.md has a row for each kind of problem, in the order of the kinds")
    func order() throws {
        let page = Shell.checkout.appending(path: "docs/problems.md")
        let codes = try String(contentsOf: page, encoding: .utf8)
            .matches(of: #/(?m)^\| `([a-z-]+)` \| \d+ \| /#).map { String($0.1) }
        #expect(codes == Problem.Kind.all.map(\.code))
    }

    @Test(
        "Each kind of problem has its title, its status and an explanation",
        arguments: Problem.Kind.all)
    func sections(kind: Problem.Kind) throws {
        let section = try #require(ProblemGuide.sections[kind.code])
        let start = "## \(kind.code)\n\n\(Problem.title(of: kind.code)) (\(kind.status.code)). "
        #expect(section.hasPrefix(start))
        #expect(section.count > start.count + 1)
    }

    @Test("The type of a problem is a path of the service with its explanation") func type()
        async throws
    {
        let api = try TestService().api
        let problem = try await api.send("GET", "/nowhere")
        let type = try #require(problem.json["type"]?.text)
        let page = try await api.send("GET", type)
        #expect(page.status == 200)
        #expect(page.headers["Content-Type"] == "text/markdown; charset=utf-8")
        #expect(
            String(decoding: page.bytes, as: UTF8.self)
                == "## not-found\n\nNot found (404). Nothing is at this path. "
                + "`/openapi.yaml` lists all paths.\n")
        #expect(try await api.send("GET", "/problems/none").code == "not-found")
    }
}
