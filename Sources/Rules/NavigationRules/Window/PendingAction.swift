import JSON

/// An action of a user that waits for the log-in, after which the window carries it out.
///
/// The type is a class, so that a window without such an action has only a nil reference.
public final class PendingAction: Sendable {
    /// The id of the view controller that was visible when the user acted, and that must be visible
    /// again when the action is carried out; nil if the action needs none.
    public let viewController: ViewController.ID?
    /// The action in a form that means the same after the log-in, when the screen can show other
    /// controls.
    public let operation: Operation
    /// The value of the member `animated` in the request; nil if the request has the default value.
    public let animated: Bool?

    public init(
        viewController: ViewController.ID? = nil, _ operation: Operation, animated: Bool? = nil
    ) {
        self.viewController = viewController
        self.operation = operation
        self.animated = animated
    }

    /// Creates the action of a user who has opened a link.
    /// - Parameter link: the path in its normal form.
    public convenience init(link: String) {
        self.init(Operation(Open(.path(link))))
    }

    /// The link that waits; nil if the action is another one.
    public var link: String? { (operation.base as? Open)?.link.text }

    /// The path alone, if the action is nothing but a path that is opened; nil otherwise. Stores
    /// keep such an action in the form of earlier versions.
    package var onlyPath: String? {
        guard viewController == nil, animated == nil,
            case .path(let path)? = (operation.base as? Open)?.link
        else { return nil }
        return path
    }

    /// The size of the action in a session's JSON, in bytes.
    var textSize: Int {
        if let onlyPath { return onlyPath.sizeInJSON }
        var json = JSONWriter()
        operation.write(animated: animated, to: &json)
        return json.size
    }
}

extension PendingAction: Equatable {
    public static func == (one: PendingAction, other: PendingAction) -> Bool {
        one === other
            || one.viewController == other.viewController && one.animated == other.animated
                && one.operation == other.operation
    }
}
