import UIKit
import WaypostTrace

/// Records a navigation controller. The app's tests call `recorder.did(.select("Jules Verne"))` before each tap.
@MainActor
final class NavigationTrace: NSObject, UINavigationControllerDelegate {
    let recorder: TraceRecorder

    init(_ navigationController: UINavigationController, writingTo file: FileHandle) {
        recorder = TraceRecorder(
            app: "Library",
            scenes: ["AuthorsViewController": "authors", "BooksViewController": "books"]
        ) { file.write(Data($0.utf8)) }
        super.init()
        navigationController.delegate = self
    }

    func navigationController(
        _ controller: UINavigationController, willShow viewController: UIViewController, animated: Bool
    ) {
        recorder.called(.willShow, on: viewController.traceName)
    }

    func navigationController(
        _ controller: UINavigationController, didShow viewController: UIViewController, animated: Bool
    ) {
        recorder.called(.didShow, on: viewController.traceName)
        let stack = controller.viewControllers.map {
            TraceScreen.ViewController($0.traceName, title: $0.navigationItem.title)
        }
        recorder.shows(TraceScreen(stack))
    }
}

extension UIViewController {
    var traceName: String { String(describing: type(of: self)) }
}

/// The superclass of the app's view controllers, which records their callbacks.
class TracedViewController: UIViewController {
    static weak var trace: NavigationTrace?

    override func viewDidLoad() {
        super.viewDidLoad()
        Self.trace?.recorder.called(.viewDidLoad, on: traceName)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        Self.trace?.recorder.called(.viewWillAppear, on: traceName)
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        Self.trace?.recorder.called(.viewDidAppear, on: traceName)
    }

    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        Self.trace?.recorder.called(.viewWillDisappear, on: traceName)
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        Self.trace?.recorder.called(.viewDidDisappear, on: traceName)
    }
}
