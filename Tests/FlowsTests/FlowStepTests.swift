import Testing

/// Tests of steps whose action lacks its value, or has one of another form.
@Suite struct FlowStepTests {
    @Test(
        "A step without the value that it needs is refused at its place with an example",
        arguments: [
            ("expect", "expect needs a value, as in `expect: { title: Books }`"),
            ("use", "use needs a value, as in `use: log-in.yaml`"),
            ("log-in", "log-in needs a value, as in `log-in: ada`"),
            ("sign-up", "sign-up needs a value, as in `sign-up: ada`"),
            ("batch: pop", "batch takes no text: write a list, as in `batch: [pop]`"),
            ("patch: Courses", "patch takes no text: write its body as a mapping"),
            ("pop: A", "pop takes no text: write `pop`, or its body as a mapping"),
            (
                "set-view-controllers: books",
                "set-view-controllers takes no text: write a list, as in "
                    + "`set-view-controllers: [books]`"
            ),
            (
                "set-flags: premium",
                "set-flags takes no text: write a mapping, as in "
                    + "`set-flags: { subscribed: true }`"
            ),
        ])
    func withoutValue(step: String, reason: String) throws {
        let defects = try FlowFolder().defects("name: A\nsteps:\n  - back\n  - \(step)")
        #expect(defects.count == 1)
        #expect(defects.first?.hasPrefix("/flow.yaml:4:") == true)
        #expect(defects.first?.hasSuffix(": \(reason)") == true, "\(defects)")
    }

    @Test(
        "A step whose action has no value is refused with any value, and taken without one",
        arguments: ["log-out", "revoke", "restart", "fork"])
    func needlessValue(name: String) throws {
        for value in ["bob", "false", "{ from: 3 }", "[bob]"] {
            let step = "name: A\nsteps:\n  - back\n  - \(name): \(value)"
            let column = 6 + name.count + 1
            #expect(
                try FlowFolder().defects(step) == [
                    "/flow.yaml:4:\(column): \(name) takes no value: write `\(name)`"
                ])
        }
        for step in [name, "\(name):", "\(name): {}"] {
            #expect(try FlowFolder().defects("name: A\nsteps:\n  - back\n  - \(step)") == [])
        }
    }

    @Test(
        "A step that sets no flags is refused as the service refuses it",
        arguments: ["set-flags", "set-flags: {}", "set-flags:"])
    func noFlags(step: String) throws {
        let defects = try FlowFolder().defects("name: A\nsteps:\n  - \(step)")
        #expect(defects.count == 1)
        #expect(defects.first?.contains("flags: missing") == true, "\(defects)")
    }
}
