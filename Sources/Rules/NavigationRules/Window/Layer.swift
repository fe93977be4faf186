/// One layer of a window: the root layer at the bottom, or a modal presentation above it.
public struct Layer: Sendable, Equatable {
    /// The maximum number of layers in a window, including the root layer.
    public static let maximum = 20

    /// The style in which this layer is presented; nil for the root layer.
    public let presentationStyle: PresentationStyle?
    /// The id of the view controller that presented this layer; nil for the root layer, or if that
    /// view controller has left its stack.
    public internal(set) var presentingViewController: ViewController.ID?
    /// Whether UIKit's `isModalInPresentation` is set on the layer's navigation controller or tab
    /// bar controller. The view controllers on the stacks of the layer have their own
    /// `isModalInPresentation`.
    let isContainerModal: Bool
    /// The scene of the tab bar controller; nil for a layer without tabs.
    public let tabBarScene: Scene?
    /// The navigation controllers of the tabs, in the order of the tabs. A layer without tabs has
    /// only one navigation controller.
    public internal(set) var navigationControllers: [NavigationController]
    public internal(set) var selectedIndex = 0

    public var hasTabBar: Bool { tabBarScene != nil }
    /// The id of the layer, which is the id of its first navigation controller. It never changes.
    public var id: NavigationController.ID { navigationControllers[0].id }

    public var selected: NavigationController {
        get { navigationControllers[selectedIndex] }
        set { navigationControllers[selectedIndex] = newValue }
    }

    /// Whether UIKit removes the view of the layer below while this layer is presented.
    var coversLayerBelow: Bool { presentationStyle?.coversPresenter ?? false }

    /// Whether the layer refuses the swipe with which a user dismisses a presentation. The layer
    /// refuses it if UIKit's `isModalInPresentation` is set on the layer's navigation controller or
    /// tab bar controller, or on any view controller on the selected stack. Some styles have no
    /// such gesture at all; see `PresentationStyle.canBeSwipedDown`.
    public var isModalInPresentation: Bool {
        isContainerModal || selected.stack.viewControllers.contains(where: \.isModalInPresentation)
    }
}

extension Layer {
    /// Creates the root layer of a window that has no tabs and no other layers.
    init(_ stack: NavigationStack, id: NavigationController.ID) {
        self.init(
            presentationStyle: nil, presentingViewController: nil, isContainerModal: false,
            tabBarScene: nil,
            navigationControllers: [NavigationController(id: id, isBare: false, stack: stack)])
    }
}

/// A navigation controller with its stack. If `isBare` is true, the value stands for a single view
/// controller that is in no navigation controller.
public struct NavigationController: Sendable, Equatable, Identifiable {
    /// The id of a navigation controller, such as `nc2`. It is unique in the session and never
    /// reused.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        public let number: Int

        public init(number: Int) { self.number = number }

        /// Parses an id.
        /// - Returns: nil if the text is not `nc` followed by a positive number without leading
        ///   zeros.
        public init?(_ text: String) {
            guard text.hasPrefix("nc"), let number = Int(text.dropFirst(2)), number > 0,
                text.count == String(number).count + 2
            else { return nil }
            self.number = number
        }

        public var description: String { "nc\(number)" }
    }

    public let id: ID
    /// Whether the value stands for a single view controller that is in no navigation controller.
    /// `stack` then contains only that view controller.
    public let isBare: Bool
    public internal(set) var stack: NavigationStack

    public var topViewController: ViewController { stack.top }
}

/// The style in which a layer is presented. Corresponds to UIKit's `UIModalPresentationStyle`.
public enum PresentationStyle: String, Sendable, CaseIterable {
    case pageSheet, formSheet, fullScreen, currentContext, overFullScreen, overCurrentContext
    case popover, custom, automatic

    /// Whether UIKit removes the view of the presenting view controller during a presentation in
    /// this style.
    var coversPresenter: Bool { self == .fullScreen || self == .currentContext }
    /// Whether a user can dismiss a presentation in this style with a swipe. The presented layer
    /// can still refuse the swipe; see `Layer.isModalInPresentation`.
    public var canBeSwipedDown: Bool {
        self == .pageSheet || self == .formSheet || self == .popover
    }
    /// Returns the style in effect: for `automatic`, the one that the version of UIKit chooses, and
    /// otherwise this style itself.
    func resolved(in uikit: UIKitVersion) -> PresentationStyle {
        self == .automatic ? uikit.automaticStyle : self
    }
}

/// The layers of a window, with all view controllers on their stacks.
enum Layers: Sendable, Equatable {
    /// A root layer with one navigation controller and no tabs. Nearly all windows have this
    /// content. It takes no more memory than the navigation stack.
    case single(NavigationStack)
    /// The layers of any other window, such as a window with tabs. The root layer is the first.
    case several([Layer])
}

/// The position of a navigation stack in a window: the index of its layer, and the index of its
/// navigation controller in that layer.
struct StackPosition: Equatable {
    var layer = 0
    var controller = 0
}
