import NavigationRules

/// The members of one dictionary of a property list.
public struct PropertyListMembers {
    private let members: [String: PropertyList]
    private let keyPath: String
    private let diagnostics: Diagnostics

    init(_ members: [String: PropertyList], keyPath: String, diagnostics: Diagnostics) {
        self.members = members
        self.keyPath = keyPath
        self.diagnostics = diagnostics
    }

    /// All keys in sorted order. Property lists do not keep the order of the file.
    public var keys: [String] { members.keys.sorted() }

    /// Returns a reader for the value of a key. If the dictionary does not have the key, the reader
    /// has no value.
    public subscript(key: String) -> PropertyListReader {
        let keyPath = keyPath.isEmpty ? key : "\(keyPath).\(key)"
        return PropertyListReader(members[key], keyPath: keyPath, diagnostics: diagnostics)
    }

    /// Returns the members whose keys are not in `known`, sorted by key.
    public func others(besides known: Set<String>) -> [(key: String, value: PropertyList)] {
        members.filter { !known.contains($0.key) }
            .map { (key: $0.key, value: $0.value) }
            .sorted { $0.key < $1.key }
    }

    /// Reports a defect for each key that is not in `known`.
    /// - Parameter others: keys that are no part of `known`, and for which the caller reports a
    ///   defect itself.
    public func refuseKeys(besides known: Set<String>, ignoring others: Set<String> = []) {
        for key in keys where !known.contains(key) && !others.contains(key) {
            let known = known.sorted()
            let advice =
                didYouMean(key, among: known)
                ?? "expected one of \(known.joined(separator: ", "))"
            self[key].reportDefect("unknown key; \(advice)")
        }
    }
}
