import Foundation
import Testing
import WaypostTesting
import Yams

/// The jobs for GitHub Actions and GitLab in `Examples/CI`.
@Suite struct ContinuousIntegrationTests {
    /// The jobs of GitHub and those of GitLab, parsed.
    private func examples() throws -> [Node] {
        try ["github", "gitlab"].map { name in
            let file = Shell.checkout.appending(path: "Examples/CI/\(name).yml")
            return try #require(try Yams.compose(yaml: String(contentsOf: file, encoding: .utf8)))
        }
    }

    /// The arguments that the examples give to `waypost`: those of GitHub, those of GitLab.
    private func arguments() throws -> [String] {
        let examples = try examples()
        let steps = examples[0]["jobs"]?["flows"]?["steps"]?.sequence.map(Array.init) ?? []
        let first = steps.lazy.compactMap { $0["run"]?.string }.first
        let run = try #require(first)
        let script = try #require(examples[1]["flows"]?["script"]?.sequence?.first?.string)
        let image = "registry.example/waypost "
        let start = try #require(run.range(of: image)).upperBound
        return [String(run[start...]), String(script.trimmingPrefix("waypost "))]
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    @Test("Both run the same command, for each pull request, and keep its report")
    func parsed() throws {
        let examples = try examples()
        #expect(Set(try arguments()).count == 1)
        let triggers = examples[0].mapping?.values.compactMap(\.string) ?? []
        #expect(triggers.contains("pull_request"))
        let upload = examples[0]["jobs"]?["flows"]?["steps"]?.sequence?.last
        #expect(upload?["with"]?["path"]?.string == "flows.xml")
        let job = examples[1]["flows"]
        #expect(job?["image"]?["name"]?.string == "registry.example/waypost")
        #expect(
            job?["rules"]?.sequence?.first?["if"]?.string
                == #"$CI_PIPELINE_SOURCE == "merge_request_event""#)
        #expect(job?["artifacts"]?["reports"]?["junit"]?.string == "flows.xml")
    }

    @Test("Their command fails for a scene without a flow, and for a flow that fails")
    func gate() async throws {
        let arguments = try #require(try arguments().first)
        let examples = Shell.checkout.appending(path: "Examples").path
        let result = try await Shell.run(
            """
            cp \(examples)/Bookshop/* .; mv Bookshop.json app.json; mkdir flows
            sed 's|^app: .*|app: ../app.json|' \(examples)/Flows/Bookshop/shop.yaml > flows/shop.yaml
            check() { \(Shell.waypost) \(arguments) > /dev/null; echo "exit $?"; }
            check; head -c 5 flows.xml; echo
            cp app.json whole.json
            jq '.scenes.new = {"kind": "blank", "title": "New", "path": "/new"}' whole.json > app.json
            check
            cp whole.json app.json; sed -i 's/title: Bookshop/title: Shop/' flows/shop.yaml
            check
            """)
        #expect(result.output == "exit 0\n<?xml\nexit 1\nexit 1\n", "\(result.errors)")
        #expect(result.errors.contains("below the threshold of 100.0 %"))
    }
}
