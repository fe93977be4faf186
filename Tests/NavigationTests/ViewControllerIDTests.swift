import NavigationRules
import Testing

@Suite struct ViewControllerIDTests {
    @Test(
        "The id of a view controller is parsed from its description",
        arguments: [1, 12, Int.max])
    func roundTrip(_ number: Int) {
        let id = ViewController.ID(number: number)
        #expect(ViewController.ID(id.description) == id)
    }

    @Test(
        "A text other than vc and a positive number is not a view controller id",
        arguments: [
            "", "vc", "vc0", "vc-1", "vc+1", "vc01", "vc 1", "vc1 ", "VC1", "1", "vc1.5",
            "vc99999999999999999999", "vc١",
        ])
    func malformed(_ text: String) {
        #expect(ViewController.ID(text) == nil)
    }

    @Test(
        "The id of a navigation controller is parsed from its description, and from no other text")
    func navigationController() {
        let id = NavigationController.ID(number: 12)
        #expect(NavigationController.ID(id.description) == id)
        for text in ["", "nc", "nc0", "nc-1", "nc+1", "nc01", "nc 1", "NC1", "vc1", "nc1.5"] {
            #expect(NavigationController.ID(text) == nil, "\(text)")
        }
    }
}
