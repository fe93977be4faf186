/// One place of a property list, with or without a value: what a decoder asks for values.
///
/// A decoder names what it expects and goes on; what differs is reported with its key path, and
/// the answer is `nil`. Nothing throws, so that one reading finds everything.
///
/// ```swift
/// guard let scene = reader.dictionary() else { return nil }
/// let kind = scene["kind"].string()                     // required
/// let title = scene["title"].ifPresent?.string() ?? ""  // optional
/// let rows = scene["rows"].strings()
/// scene.refuseKeys(besides: ["kind", "title", "rows"])
/// ```
public struct PropertyListReader {
    /// From the top level to this place, as in `[3].Books[1].Title`; empty for the top level.
    public let keyPath: String

    private let value: PropertyList?
    private let diagnostics: Diagnostics

    init(_ value: PropertyList?, keyPath: String = "", diagnostics: Diagnostics) {
        self.value = value
        self.keyPath = keyPath
        self.diagnostics = diagnostics
    }

    /// The reader itself, or `nil` if there is no value here: makes what follows optional.
    public var ifPresent: PropertyListReader? { value == nil ? nil : self }

    /// - Returns: a string of 10,000 bytes at most.
    public func string() -> String? {
        guard case .string(let string) = value else { return mismatch("a string") }
        guard string.utf8.count <= PropertyListLimits.textSize else {
            reportDefect(
                "expected \(PropertyListLimits.textSize) bytes at most, found \(string.utf8.count)")
            return nil
        }
        return string
    }

    public func integer() -> Int? {
        if case .integer(let integer) = value { return integer }
        return mismatch("an integer")
    }

    /// The integer that is here; nil, and nothing is reported, if something else is.
    public var number: Int? {
        if case .integer(let integer) = value { integer } else { nil }
    }

    public func boolean() -> Bool? {
        if case .boolean(let boolean) = value { return boolean }
        return mismatch("a boolean")
    }

    /// - Parameter expected: says more than "an array" in a message, as in "an array of authors".
    /// - Returns: a reader for each element.
    public func array(_ expected: String = "an array") -> [PropertyListReader]? {
        guard case .array(let elements) = value else { return mismatch(expected) }
        return elements.enumerated().map { index, element in
            PropertyListReader(element, keyPath: "\(keyPath)[\(index)]", diagnostics: diagnostics)
        }
    }

    /// - Returns: the strings of an array; elements that are none are reported and left out.
    public func strings() -> [String]? {
        array("an array of strings")?.compactMap { $0.string() }
    }

    /// - Parameter expected: says more than "a dictionary" in a message.
    public func dictionary(_ expected: String = "a dictionary") -> PropertyListMembers? {
        guard case .dictionary(let members) = value else { return mismatch(expected) }
        return PropertyListMembers(members, keyPath: keyPath, diagnostics: diagnostics)
    }

    /// A member of the dictionary that is here; nil, and nothing is reported, if there is none.
    public func member(_ key: String) -> PropertyListReader? {
        guard case .dictionary = value else { return nil }
        return dictionary()?[key].ifPresent
    }

    /// Reports that the file cannot be used because of what is here.
    public func reportDefect(_ reason: String) {
        diagnostics.addDefect(reason, at: keyPath)
    }

    /// Reports a defect at a place below this one.
    public func reportDefect(_ reason: String, at below: String) {
        diagnostics.addDefect(reason, at: keyPath.isEmpty ? below : "\(keyPath).\(below)")
    }

    /// Reports what the file's owner should know, but need not mend.
    public func reportWarning(_ reason: String) {
        diagnostics.addWarning(reason, at: keyPath)
    }

    /// Reports each date that is here, or below, and cannot be written as RFC 3339 says.
    public func checkDates() {
        switch value {
        case .date(let date) where !Self.writableDates.contains(date.timeIntervalSince1970):
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

    /// In seconds since 1970: from 0001-01-01 to before 10000-01-01.
    private static let writableDates = -62_135_596_800.0..<253_402_300_800.0

    private func mismatch<Value>(_ expected: String) -> Value? {
        if let value {
            reportDefect("expected \(expected), found \(value.kind)")
        } else {
            reportDefect("missing; expected \(expected)")
        }
        return nil
    }
}

/// Why a file yields no property list at all.
public struct UnreadablePropertyList: Error, Equatable, Sendable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}

/// A file that cannot be used, with all that is to be mended.
public struct UnusableFile: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one, in the order of the file.
    public let defects: [Diagnostic]
    public let warnings: [Diagnostic]

    /// One line for each defect.
    public var description: String {
        defects.map(\.description).joined(separator: "\n")
    }

    public init(defects: [Diagnostic], warnings: [Diagnostic]) {
        self.defects = defects
        self.warnings = warnings
    }
}
