import Foundation

extension PropertyList {
    /// Decodes a property list with Foundation. The caller must check the structure of `bytes`
    /// first.
    /// - Parameter admitsJSON: whether the file could have been JSON, too.
    /// - Throws: the reason why the bytes cannot be decoded.
    static func foundationValue(
        of bytes: ArraySlice<UInt8>, format: PropertyListFormat, admitsJSON: Bool = false
    ) throws(UnreadablePropertyList) -> PropertyList {
        let value: Any
        do {
            value = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        } catch {
            // If a file is not XML, Foundation parses it as OpenStep, too. The error has the reason
            // of each attempt.
            let attempts = (error as NSError).userInfo
            let openStep = attempts["kCFPropertyListOldStyleParsingError"] as? NSError
            let reason = format == .openStep ? openStep?.debugReason : nil
            throw .malformed(reason ?? (error as NSError).debugReason, admitsJSON: admitsJSON)
        }
        return try PropertyList(foundation: value)
    }

    private init(foundation value: Any) throws(UnreadablePropertyList) {
        switch value {
        case let string as String:
            self = .string(string)
        case let elements as [Any]:
            var array: [PropertyList] = []
            array.reserveCapacity(elements.count)
            for element in elements { array.append(try PropertyList(foundation: element)) }
            self = .array(array)
        case let members as [String: Any]:
            var dictionary: [String: PropertyList] = [:]
            dictionary.reserveCapacity(members.count)
            for (key, member) in members { dictionary[key] = try PropertyList(foundation: member) }
            self = .dictionary(dictionary)
        // These cases follow the collections, because a failing cast to a class would first bridge
        // a whole collection.
        case let number as NSNumber:
            self.init(number)
        case let date as Date:
            self = .date(date)
        case let data as Data:
            self = .data(data)
        default:
            throw UnreadablePropertyList(
                reason: "the file holds an object of a keyed archive, not a plain property list")
        }
    }

    /// Converts a number according to its stored type. A cast cannot tell booleans from integers,
    /// because `1 as? Bool` and `true as? Int` both succeed.
    private init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            self = .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            self = .real(number.doubleValue)
        default:
            self = (number as? Int).map(PropertyList.integer) ?? .real(number.doubleValue)
        }
    }
}

extension UnreadablePropertyList {
    fileprivate static func malformed(
        _ reason: String?, admitsJSON: Bool
    ) -> UnreadablePropertyList {
        // Foundation's reason can quote megabytes of the file.
        let reason = (reason ?? "malformed value").prefix(200)
        let formats = admitsJSON ? "neither JSON nor a valid" : "not a valid"
        return UnreadablePropertyList(reason: "\(formats) property list: \(reason)")
    }
}

extension NSError {
    var debugReason: String? {
        userInfo[NSDebugDescriptionErrorKey] as? String
    }
}
