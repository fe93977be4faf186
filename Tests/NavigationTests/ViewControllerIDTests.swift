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
}
