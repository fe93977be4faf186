import TestSupport
import Testing

@testable import NavigationRules

@Suite struct SegueTests {
    @Test(
        "A segue that shows no new view controller refuses parameters",
        arguments: ["home", "close"])
    func needlessParameters(_ identifier: String) throws {
        let app = try TestApp.containers(login: false, tabs: false)
        var window = Window.launch(app).window
        _ = try window.perform(.segue("sheet", parameters: [:], from: nil), animated: nil, in: app)
        let operation = NavigationRules.Operation.segue(
            identifier, parameters: ["n": "1", "p": "2"], from: nil)
        let defect = ParameterDefect(name: "n", reason: .unknown)
        #expect(throws: NavigationError.invalidParameters("B", [defect])) {
            try window.perform(operation, animated: nil, in: app)
        }
        #expect(window.layers.count == 2)
    }
}
