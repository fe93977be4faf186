import Navigation
import Testing

@Suite struct ViewControllerIDTests {
    @Test(arguments: [1, 12, Int.max]) func anIDIsReadAsItIsWritten(_ number: Int) {
        let id = ViewController.ID(number: number)
        #expect(ViewController.ID(id.description) == id)
    }

    @Test(arguments: [
        "", "vc", "vc0", "vc-1", "vc+1", "vc01", "vc 1", "vc1 ", "VC1", "1", "vc1.5",
        "vc99999999999999999999", "vc١",
    ])
    func nothingElseIsAnID(_ text: String) {
        #expect(ViewController.ID(text) == nil)
    }
}
