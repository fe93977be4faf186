/// A version of iOS. Its UIKit sets the rules that differ between versions; `docs/fidelity.md` names
/// the evidence for each.
public struct UIKitVersion: Sendable, Equatable {
    /// The versions with known rules. Before iOS 13 there were no sheets, and form sheets covered the
    /// screen of a phone.
    public static let known = 13...26
    public static let newest = UIKitVersion(known: known.upperBound)

    public let number: Int

    /// - Returns: nil if the rules of this version are not known.
    public init?(_ number: Int) {
        guard Self.known.contains(number) else { return nil }
        self.number = number
    }

    private init(known number: Int) { self.number = number }

    /// Whether a switch of tabs is a cross-fade. The old view controller then disappears only after
    /// the new one has appeared.
    var crossFadesTabs: Bool { number >= 18 }
    /// The style that stands for `automatic`.
    var automaticStyle: PresentationStyle { number >= 18 ? .formSheet : .pageSheet }
    /// Whether UIKit loads the view of a root that an animated push covers in the same turn of the
    /// run loop.
    var loadsCoveredRoot: Bool { number < 18 }
}

/// A group of callbacks that the log of events has only if the storyboard names the group.
public enum CallbackGroup: String, Sendable, CaseIterable {
    /// `viewIsAppearing` of each view controller that appears.
    case viewIsAppearing
    /// The callbacks of `UIAdaptivePresentationControllerDelegate` at a user's swipe.
    case presentation
    /// The callbacks of `UITabBarControllerDelegate` at a user's tap.
    case tabs
}
