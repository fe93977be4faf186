import Foundation

/// Reads the value at one place of a property list. There can be places without a value, such as a
/// missing key.
///
/// A decoder calls the method for the type that it expects. If the value is missing or has another
/// type, the method reports a defect and returns nil. No method throws, so that one run of the
/// decoder finds all defects.
///
/// ```swift
/// guard let scene = reader.dictionary() else { return nil }
/// let kind = scene["kind"].string()                     // required
/// let title = scene["title"].ifPresent?.string() ?? ""  // optional
/// let rows = scene["rows"].strings()
/// scene.refuseKeys(besides: ["kind", "title", "rows"])
/// ```
public struct PropertyListReader {
    /// The keys and indices that lead from the top level to this place, such as
    /// `[3].Books[1].Title`; empty for the top level.
    public let keyPath: String

    private let value: PropertyList?
    private let diagnostics: Diagnostics

    init(_ value: PropertyList?, keyPath: String = "", diagnostics: Diagnostics) {
        self.value = value
        self.keyPath = keyPath
        self.diagnostics = diagnostics
    }

    /// This reader; nil if this place has no value. For example, `ifPresent?.string()` reads an
    /// optional string without reporting a defect if the value is missing.
    public var ifPresent: PropertyListReader? { value == nil ? nil : self }

    /// Returns the string at this place. Reports a defect and returns nil if the value is missing,
    /// is not a string, or is longer than 10,000 bytes.
    public func string() -> String? {
        guard case .string(let string) = value else { return mismatch("a string") }
        guard string.utf8.count <= PropertyListLimits.textSize else {
            reportDefect(
                "expected \(PropertyListLimits.textSize) bytes at most, found \(string.utf8.count)")
            return nil
        }
        return string
    }

    /// Returns the integer at this place. Reports a defect and returns nil if there is no integer.
    public func integer() -> Int? {
        if case .integer(let integer) = value { return integer }
        return mismatch("an integer")
    }

    /// Returns the string, number, boolean or date at this place as text. The text of a date has
    /// the format of RFC 3339. Reports a defect and returns nil if there is no such value, if a
    /// string is longer than 10,000 bytes, or if a date is outside the years 1 to 9999.
    public func scalar() -> String? {
        switch value {
        case .integer(let integer): return "\(integer)"
        case .real(let real): return "\(real)"
        case .boolean(let boolean): return "\(boolean)"
        case .date(let date):
            checkDates()
            return Date.writable.contains(date.timeIntervalSince1970) ? date.text : nil
        case .array, .dictionary, .data, .null: return mismatch("a string, number, boolean or date")
        case .string, nil: return string()
        }
    }

    /// Whether the value at this place is an array.
    public var isArray: Bool {
        if case .array = value { true } else { false }
    }

    /// Whether the value at this place is a dictionary.
    public var isDictionary: Bool {
        if case .dictionary = value { true } else { false }
    }

    /// Returns the boolean at this place. Reports a defect and returns nil if there is no boolean.
    public func boolean() -> Bool? {
        if case .boolean(let boolean) = value { return boolean }
        return mismatch("a boolean")
    }

    /// Returns a reader for each element of the array at this place. Reports a defect and returns
    /// nil if there is no array.
    /// - Parameter expected: a description of the array for the message of the defect, such as "an
    ///   array of authors".
    public func array(_ expected: String = "an array") -> [PropertyListReader]? {
        guard case .array(let elements) = value else { return mismatch(expected) }
        return elements.enumerated().map { index, element in
            PropertyListReader(element, keyPath: "\(keyPath)[\(index)]", diagnostics: diagnostics)
        }
    }

    /// Returns the strings of the array at this place. Reports a defect for each element that is
    /// not a string or is longer than 10,000 bytes, and leaves this element out. Reports a defect
    /// and returns nil if there is no array.
    public func strings() -> [String]? {
        array("an array of strings")?.compactMap { $0.string() }
    }

    /// Returns the members of the dictionary at this place. Reports a defect and returns nil if
    /// there is no dictionary.
    /// - Parameter expected: a description of the dictionary for the message of the defect, such as
    ///   "a dictionary of titles".
    public func dictionary(_ expected: String = "a dictionary") -> PropertyListMembers? {
        guard case .dictionary(let members) = value else { return mismatch(expected) }
        return PropertyListMembers(members, keyPath: keyPath, diagnostics: diagnostics)
    }

    /// Returns a reader for a member of the dictionary at this place. Returns nil, without
    /// reporting a defect, if there is no dictionary or if the dictionary does not have the key.
    public func member(_ key: String) -> PropertyListReader? {
        guard case .dictionary = value else { return nil }
        return dictionary()?[key].ifPresent
    }

    /// Reports a defect at this place. A file with a defect cannot be used.
    /// - Parameter below: the key path from this place to that of the defect; nil for this place.
    public func reportDefect(_ reason: String, at below: String? = nil) {
        diagnostics.addDefect(reason, at: path(to: below))
    }

    /// Whether a defect has been reported so far, at any place of the file.
    public var fileHasDefects: Bool { !diagnostics.defects.isEmpty }

    /// Reports a warning at this place. A file with warnings can still be used.
    /// - Parameter below: the key path from this place to that of the warning; nil for this place.
    public func reportWarning(_ reason: String, at below: String? = nil) {
        diagnostics.addWarning(reason, at: path(to: below))
    }

    private func path(to below: String?) -> String {
        below.map { keyPath.isEmpty ? $0 : "\(keyPath).\($0)" } ?? keyPath
    }

    /// Reports a defect for each date outside the years 1 to 9999. Checks the value at this place
    /// and all values that it contains.
    public func checkDates() {
        switch value {
        case .date(let date) where !Date.writable.contains(date.timeIntervalSince1970):
            reportDefect("expected a date of the years 1 to 9999")
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                PropertyListReader(
                    element, keyPath: "\(keyPath)[\(index)]", diagnostics: diagnostics
                )
                .checkDates()
            }
        case .dictionary(let members):
            let members = PropertyListMembers(members, keyPath: keyPath, diagnostics: diagnostics)
            for key in members.keys { members[key].checkDates() }
        default: break
        }
    }

    private func mismatch<Value>(_ expected: String) -> Value? {
        if let value {
            reportDefect("expected \(expected), found \(value.kind)")
        } else {
            reportDefect("missing; expected \(expected)")
        }
        return nil
    }
}

/// The reason why a file cannot be read, or is not a valid property list.
public struct UnreadablePropertyList: Error, Equatable, Sendable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}

/// An error for files that cannot be used, with all their defects.
public struct UnusableFile: Error, Equatable, Sendable, CustomStringConvertible {
    /// The defects in the order in which they were found; at least one.
    public let defects: [Diagnostic]
    public let warnings: [Diagnostic]

    /// The text of all defects, with one defect on each line.
    public var description: String {
        defects.map(\.description).joined(separator: "\n")
    }

    public init(defects: [Diagnostic], warnings: [Diagnostic]) {
        self.defects = defects
        self.warnings = warnings
    }
}
