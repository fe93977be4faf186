import Foundation
import NavigationRules
import Testing
import WaypostTesting

/// An operation is declared once. Everything else takes its name from the declaration, except the
/// library WaypostTrace, which imports no modules.
@Suite struct OperationNameTests {
    private static let names =
        (Operation.all + [Batch.self, Patch.self, LogIn.self, LogOut.self]).map { $0.name }
        + [LogIn.signUpName]

    /// The files in which a text that is also the name of an operation has another meaning.
    private static let otherMeanings: [String: Set<String>] = [
        // Kinds of segues, and the forms of a storyboard.
        "AppLoading/Resources/Library.json": ["show", "log-in", "sign-up"],
        "WaypostAPI/Encoding/JSONWriter+Storyboard.swift": [
            "show", "push", "present", "unwind", "dismiss",
        ],
        "WaypostAPI/Inspector/Resources/layout.js": ["present", "unwind"],
        "WaypostAPI/Inspector/Resources/phone.js": ["sign-up"],
        "AppLoading/Import/Dismissals.swift": ["dismiss"],
        "AppLoading/Import/SceneGraph+Edges.swift": ["unwind"],
        "AppLoading/Import/SegueActions.swift": [
            "show", "push", "present", "unwind", "dismiss",
        ],
        "AppLoading/Model/XcodeSegue.swift": ["push"],
        "waypost/Starter/app.json": ["present", "unwind"],
        "AppLoading/Import/SegueMapping.swift": ["unwind"],
        "AppLoading/Import/Unwinding.swift": ["unwind"],
        // Kinds of transitions.
        "WaypostAPI/Idempotency/ResponseDictionary.swift": ["push", "pop"],
        "WaypostAPI/Inspector/Resources/main.js": ["push", "pop"],
        "WaypostAPI/Inspector/Resources/timeline.js": ["push", "pop", "present", "dismiss"],
        // The title of the back button in flows and traces.
        "Navigation/Window.swift": ["back"], "Flows/File/Flow.swift": ["back"],
        "Flows/File/FlowReader+Steps.swift": ["back"],
        "Flows/Run/Findings.swift": ["back"], "Flows/Trace/Trace.swift": ["back"],
        "Flows/Trace/TraceRun.swift": ["back"], "WaypostAPI/History/FlowWalk.swift": ["back"],
        // The link with which a session starts.
        "WaypostAPI/Routes/SessionRoutes+Opening.swift": ["open"], "waypost/Seed.swift": ["open"],
        // A command, an option and a member of the log.
        "waypost/SessionCommands.swift": ["show"], "waypost/EnvironmentOptions.swift": ["sign-up"],
        "waypost/Serve.swift": ["present"],
    ]

    /// The string literals in the files below `Sources`, by the path of the file from its module on.
    private static let literals: [String: Set<String>] = {
        let folder = Shell.checkout.appending(path: "Sources")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        var literals: [String: Set<String>] = [:]
        for path in paths ?? [] where path.contains(/\.(swift|js|json)$/) {
            let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
            // The first folder is the layer of the module.
            let place = path.drop { $0 != "/" }.dropFirst()
            literals[String(place)] = Self.literals(in: text ?? "")
        }
        return literals
    }()

    /// Returns the words between two quotation marks, outside of comments. The keys of the
    /// inspector's elements (`key`, and the first argument of `small`) are left out.
    private static func literals(in text: String) -> Set<String> {
        let lines = text.split(separator: "\n").filter { line in
            let line = line.drop { $0 == " " }
            return !line.hasPrefix("//") && !line.hasPrefix("*") && !line.hasPrefix("/*")
        }
        let code = lines.joined(separator: "\n")
            .replacing(#/(\bkey: |small\()"[^"]*"/#, with: "")
        return Set(
            code.matches(of: #/"([a-z-]+)"|'([a-z-]+)'/#).map {
                String($0.0.dropFirst().dropLast())
            })
    }

    @Test(
        "The name of an operation is a string in its declaration and in at most one other file",
        arguments: names)
    func files(name: String) {
        let files = Self.literals.filter { path, literals in
            literals.contains(name) && Self.otherMeanings[path]?.contains(name) != true
        }.keys.sorted()
        let declarations = files.filter { $0.hasPrefix("NavigationRules/") }
        #expect(declarations.count == 1, "\(files)")
        #expect(files.count <= 2, "\(files)")
    }

    @Test("The list of other meanings has no file without one") func meanings() {
        for (path, words) in Self.otherMeanings {
            let unused = words.subtracting(Self.literals[path] ?? [])
            #expect(unused.isEmpty, "\(path)")
        }
    }
}
