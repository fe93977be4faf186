extension Int {
    /// The integers that every implementation of JSON keeps exactly (RFC 8259, section 6).
    static let interoperable = -9_007_199_254_740_991...9_007_199_254_740_991

    /// Returns the integer, or the bound of `interoperable` that it lies beyond.
    ///
    /// Every integer from a client passes through here, so that no later arithmetic on it can
    /// overflow. No row, event or position lies beyond the bounds.
    var clampedToInteroperable: Int {
        Swift.min(Swift.max(self, Self.interoperable.lowerBound), Self.interoperable.upperBound)
    }
}
