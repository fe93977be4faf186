import Testing

@testable import NavigationRules

/// Tests of stored windows: their comparison, and effects that do not fit.
@Suite struct StoredWindowTests {
    private func entry(_ parameters: KeyValuePairs<String, String>) -> StoredWindow.Entry {
        StoredWindow.Entry(
            number: 1, scene: "a",
            parameters: Parameters(names: parameters.map(\.key), values: parameters.map(\.value)),
            isViewLoaded: true, changes: ViewControllerChanges())
    }

    /// The three places in which a window has view controllers.
    enum Place: CaseIterable { case stack, layers, segments }

    private func window(
        _ parameters: KeyValuePairs<String, String>, in place: Place, flags: [String: Bool] = [:]
    ) -> StoredWindow {
        let entries = [entry(parameters)]
        let layer = StoredWindow.Layer(
            presentationStyle: nil, presenter: nil, isContainerModal: false, tabBar: nil,
            selectedIndex: 0, stacks: [.init(number: 1, isBare: false, stack: entries)])
        return StoredWindow(
            lifecycle: .native, revision: 1, auth: .loggedOut,
            stack: place == .stack ? entries : [], layers: place == .layers ? [layer] : nil,
            segments: place == .segments
                ? .init(selectedIndex: 0, roots: [1], kept: entries) : nil,
            pending: nil, flags: flags, lastEvent: 0, lastViewController: 1)
    }

    @Test(
        "A window is the same after its storyboard declares parameters in another order",
        arguments: Place.allCases)
    func otherOrder(_ place: Place) {
        let stored = window(["b": "1", "a": "2"], in: place, flags: ["old": true, "f": true])
        let same = window(["a": "2", "b": "1"], in: place, flags: ["new": false, "f": true])
        #expect(stored != same && stored.isSame(as: same))
        let other = window(["a": "2", "b": "1"], in: place)
        #expect(window(["b": "1", "a": "2"], in: place) == other)
        #expect(window(["a": "1", "b": "2"], in: place) != other)
        #expect(!stored.isSame(as: window(["a": "1", "b": "2"], in: place)))
        #expect(!stored.isSame(as: window(["a": "2", "b": "1"], in: place, flags: ["f": false])))
    }

    @Test(
        "The effect on a stack that a window lacks is refused", arguments: [Place.stack, .layers])
    func otherStack(_ place: Place) {
        var window = window([:], in: place)
        let before = window
        for (number, isApplied) in [(2, false), (1, true)] {
            let stack = WindowEffect.Stack(number: number, kept: 1, added: [entry(["a": "1"])])
            let effect = WindowEffect(content: .stacks([stack]))
            #expect(window.apply(effect, revision: 2) == isApplied)
            #expect((window == before) != isApplied)
        }
    }
}
