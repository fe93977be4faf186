/// One layer of a window: the root layer, or a presentation above it.
public struct Layer: Sendable, Equatable {
    /// The most layers that a window can have, the root layer included.
    public static let maximum = 20

    /// The style of the presentation; nil for the root layer.
    public let presentationStyle: PresentationStyle?
    /// The view controller that presented this layer; nil for the root layer, and after that view
    /// controller has left its stack.
    public internal(set) var presentingViewController: ViewController.ID?
    /// Whether the container itself has UIKit's `isModalInPresentation`. Each view controller on
    /// the stacks of the layer has this property too.
    let isContainerModal: Bool
    /// The scene of the tab bar controller; nil for a layer without tabs.
    public let tabBarScene: Scene?
    /// The navigation controllers of the tabs, in order; a single one in a layer without tabs.
    public internal(set) var navigationControllers: [NavigationController]
    public internal(set) var selectedIndex = 0

    public var hasTabBar: Bool { tabBarScene != nil }
    /// The id of the first navigation controller, which stays the same while the layer lives.
    public var id: NavigationController.ID { navigationControllers[0].id }

    public var selected: NavigationController {
        get { navigationControllers[selectedIndex] }
        set { navigationControllers[selectedIndex] = newValue }
    }

    /// Whether the view of the layer below is removed while this layer is presented.
    var coversLayerBelow: Bool { presentationStyle?.coversPresenter ?? false }

    /// Whether the layer refuses the user's gesture that would dismiss it: UIKit's
    /// `isModalInPresentation` of the container or of any view controller on the selected stack.
    /// Some styles have no such gesture at all; see `PresentationStyle.canBeSwipedDown`.
    public var isModalInPresentation: Bool {
        isContainerModal || selected.stack.viewControllers.contains(where: \.isModalInPresentation)
    }
}

extension Layer {
    /// Creates the only layer of a window.
    init(_ stack: NavigationStack, id: NavigationController.ID) {
        self.init(
            presentationStyle: nil, presentingViewController: nil, isContainerModal: false,
            tabBarScene: nil,
            navigationControllers: [NavigationController(id: id, isBare: false, stack: stack)])
    }
}

/// A navigation controller with its stack; or, if `isBare`, the place of one view controller that
/// is in no navigation controller.
public struct NavigationController: Sendable, Equatable, Identifiable {
    /// The id of a navigation controller, such as `nc2`. It is unique in the session and never used
    /// again.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        public let number: Int

        public init(number: Int) { self.number = number }

        /// Parses an id.
        /// - Returns: nil if no navigation controller can have this id.
        public init?(_ text: String) {
            guard text.hasPrefix("nc"), let number = Int(text.dropFirst(2)), number > 0,
                text.count == String(number).count + 2
            else { return nil }
            self.number = number
        }

        public var description: String { "nc\(number)" }
    }

    public let id: ID
    /// Whether the stack only holds one view controller that is in no navigation controller.
    public let isBare: Bool
    public internal(set) var stack: NavigationStack

    public var topViewController: ViewController { stack.top }
}

/// How a layer is presented: UIKit's `UIModalPresentationStyle`.
public enum PresentationStyle: String, Sendable, CaseIterable {
    case pageSheet, formSheet, fullScreen, currentContext, overFullScreen, overCurrentContext
    case popover, custom, automatic

    /// Whether UIKit removes the view of the presenting controller.
    var coversPresenter: Bool { self == .fullScreen || self == .currentContext }
    /// Whether UIKit has a gesture for dismissing a layer of this style. The layer can still refuse
    /// the gesture; see `Layer.isModalInPresentation`.
    var canBeSwipedDown: Bool { self == .pageSheet || self == .formSheet || self == .popover }
    /// The style that `automatic` stands for.
    var resolved: PresentationStyle { self == .automatic ? .pageSheet : self }
}

/// The layers of a window, with all view controllers that are on a stack.
enum Layers: Sendable, Equatable {
    /// One layer with one navigation controller. Nearly all windows have this content, which takes
    /// no more memory than the stack.
    case single(NavigationStack)
    /// All layers of any other window, such as a window with tabs; the root layer is the first.
    case several([Layer])
}

/// The place of a stack in a window: the index of its layer, and the index of its navigation
/// controller in that layer.
struct StackPosition: Equatable {
    var layer = 0
    var controller = 0
}
