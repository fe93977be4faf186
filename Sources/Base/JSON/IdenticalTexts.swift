/// Returns whether two texts have the same bytes, or are both nil. The operator `==` also holds for
/// texts that differ only in their Unicode form, such as `é` as one scalar or as two.
public func areIdentical(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.elementsEqual(other.utf8)
}
