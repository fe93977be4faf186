import AppDefinition
import AppLoading
import TestSupport
import Testing

/// What `waypost check` should say about one place of a storyboard.
struct Finding: Sendable {
    enum Severity: String, Sendable { case error, warning }

    let severity: Severity
    let keyPath: String
    /// A part of the message.
    let mention: String

    static func error(_ keyPath: String, _ mention: String) -> Finding {
        Finding(severity: .error, keyPath: keyPath, mention: mention)
    }

    static func warning(_ keyPath: String, _ mention: String) -> Finding {
        Finding(severity: .warning, keyPath: keyPath, mention: mention)
    }
}

/// A storyboard with all its findings.
struct FindingCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let storyboard: String
    let findings: [Finding]

    /// - Parameters:
    ///   - app: the members of the storyboard besides its name and its scenes.
    ///   - scenes: the members of the dictionary of scenes.
    init(_ description: String, app: String, scenes: String, _ findings: Finding...) {
        self.init(description, app: app, scenes: scenes, findings: findings)
    }

    init(_ description: String, app: String, scenes: String, findings: [Finding]) {
        testDescription = description
        storyboard = #"{ "name": "Podcasts", \#(app), "scenes": { \#(scenes) } }"#
        self.findings = findings
    }

    /// Checks that the storyboard has exactly the findings, in any order.
    func run() throws {
        let folder = try TemporaryFolder()
        let files = AppFiles(storyboard: try folder.write(storyboard, to: "Podcasts.json"))
        var found: [(Finding.Severity, Diagnostic)] = []
        do {
            found = try files.load().warnings.map { (.warning, $0) }
        } catch {
            found = error.defects.map { (.error, $0) } + error.warnings.map { (.warning, $0) }
        }
        let places = found.map { "\($0.rawValue) \($1.keyPath)" }
        #expect(
            places.sorted() == findings.map { "\($0.severity.rawValue) \($0.keyPath)" }.sorted())
        for finding in findings {
            let reasons = found.filter { $1.keyPath == finding.keyPath }.map(\.1.reason)
            #expect(reasons.contains { $0.contains(finding.mention) }, "\(reasons)")
        }
    }
}
