import Foundation
import JSON

extension PropertyList {
    /// Decodes JSON with `parser`.
    /// - Throws: an error if the bytes are not valid JSON, or if the parser returns an object with
    ///   the same key twice. Foundation's parser returns only one of the two.
    init(
        json bytes: ArraySlice<UInt8>, _ parser: JSONParser
    ) throws(UnreadablePropertyList) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try parser.parse(bytes, PropertyListLimits.nesting)
        } catch {
            throw .malformedJSON(error.description)
        }
        try self.init(value)
    }

    private init(_ value: JSONValue) throws(UnreadablePropertyList) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .string(let text): self = .string(text)
        case .array(let elements):
            var array: [PropertyList] = []
            array.reserveCapacity(elements.count)
            for element in elements { array.append(try PropertyList(element)) }
            self = .array(array)
        case .object(let object):
            var dictionary: [String: PropertyList] = [:]
            dictionary.reserveCapacity(object.members.count)
            for member in object.members {
                // Swift, unlike JSON, treats `é` in one code point and in two as equal strings.
                guard
                    dictionary.updateValue(
                        try PropertyList(member.value), forKey: member.name) == nil
                else { throw .malformedJSON("the key \(member.name) twice in one object") }
            }
            self = .dictionary(dictionary)
        }
    }
}

extension UnreadablePropertyList {
    fileprivate static func malformedJSON(_ finding: String) -> UnreadablePropertyList {
        UnreadablePropertyList(reason: "not valid JSON: \(finding)")
    }
}

extension JSONValue {
    /// Converts a property list. Keys are sorted, because property lists do not keep their order. A
    /// date becomes text in the format of RFC 3339, and data becomes Base64 text.
    /// - Parameter nonFinite: converts a number that is infinite or not a number, because JSON has
    ///   no such numbers.
    package init(_ value: PropertyList, nonFinite: (Double) -> JSONValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = number.isFinite ? .real(number) : nonFinite(number)
        case .boolean(let flag): self = .boolean(flag)
        case .date(let date): self = .string(date.text)
        case .data(let data): self = .string(data.base64EncodedString())
        case .array(let elements):
            self = .array(elements.map { JSONValue($0, nonFinite: nonFinite) })
        case .dictionary(let members):
            let members = members.sorted { $0.key < $1.key }
                .map { ($0.key, JSONValue($0.value, nonFinite: nonFinite)) }
            self = .object(JSONObject(pairs: members))
        case .null: self = .null
        }
    }
}

extension Date {
    /// The dates of the years 1 to 9999, in seconds since 1970.
    static let writable = -62_135_596_800.0..<253_402_300_800.0

    /// The date in the format of RFC 3339, with a precision of one second. The nearest date of
    /// `writable` replaces another one. Foundation's formatter is not used, because it uses the
    /// Julian calendar for dates before 1582.
    var text: String {
        let (first, end) = (Self.writable.lowerBound, Self.writable.upperBound)
        // `max` returns `first` for a time that is not a number.
        let seconds = min(max(first, timeIntervalSince1970.rounded(.down)), end - 1)
        let (days, time) = CivilDate.floorDivide(Int(seconds), by: 86_400)
        let date = CivilDate(daysSince1970: days)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02dZ", date.year, date.month, date.day,
            time / 3600, time / 60 % 60, time % 60)
    }
}
