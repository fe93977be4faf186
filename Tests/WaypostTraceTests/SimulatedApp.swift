import WaypostTrace

/// An app with one navigation controller, which calls a recorder in UIKit's order. Each fault makes it
/// depart from the rules once.
final class SimulatedApp {
    enum Fault {
        /// `viewDidDisappear` of a pop is not called.
        case missingCallback
        /// The callbacks of the new screen of a pop come before those of the old one.
        case otherOrder
        /// A callback of a pop comes twice.
        case repeatedCallback
        /// A selected row pushes its screen twice.
        case pushesTwice
        /// A selected row pushes a screen that no row leads to.
        case illegalJump
        /// A selected row does nothing.
        case nothingHappens
    }

    private let recorder: TraceRecorder
    private let fault: Fault?
    private var stack: [TraceScreen.ViewController] = []

    init(_ recorder: TraceRecorder, fault: Fault? = nil) {
        self.recorder = recorder
        self.fault = fault
    }

    func launch(_ scene: String, _ title: String) {
        show(to: [.init(scene, title: title)], isNew: true)
    }

    func setRoot(_ scene: String, _ title: String, after action: TraceAction) {
        recorder.did(action)
        show(to: [.init(scene, title: title)], isNew: true)
    }

    func select(_ title: String, shows scene: String) {
        recorder.did(.select(title))
        let screen = TraceScreen.ViewController(scene, title: title)
        switch fault {
        case .pushesTwice: show(to: stack + [screen, screen], isNew: true)
        case .illegalJump: show(to: stack + [.init("signUp", title: "Sign Up")], isNew: true)
        case .nothingHappens: recorder.shows(TraceScreen(stack))
        default: show(to: stack + [screen], isNew: true)
        }
    }

    /// - Parameter isRecorded: whether the app notes that the user taps; a swipe is not noted.
    func back(isRecorded: Bool = true) {
        if isRecorded { recorder.did(.back) }
        guard stack.count > 1 else { return recorder.shows(TraceScreen(stack)) }
        show(to: stack.dropLast(), isNew: false)
    }

    func finish() { recorder.finish() }

    private func show(to screens: [TraceScreen.ViewController], isNew: Bool) {
        let (old, new) = (stack.last?.scene, screens.last?.scene ?? "")
        stack = screens
        if isNew { recorder.called(.viewDidLoad, on: new) }
        let isFaulty = !isNew
        if isFaulty, fault == .otherOrder {
            recorder.called(.viewWillAppear, on: new)
            if let old { recorder.called(.viewWillDisappear, on: old) }
        } else {
            if let old { recorder.called(.viewWillDisappear, on: old) }
            recorder.called(.viewWillAppear, on: new)
        }
        recorder.called(.willShow, on: new)
        if let old, !(isFaulty && fault == .missingCallback) {
            recorder.called(.viewDidDisappear, on: old)
        }
        if isFaulty, fault == .repeatedCallback { recorder.called(.viewDidAppear, on: new) }
        recorder.called(.viewDidAppear, on: new)
        recorder.called(.didShow, on: new)
        let back = stack.count > 1 ? stack[stack.count - 2].title : nil
        recorder.shows(TraceScreen(stack, back: back))
    }
}
