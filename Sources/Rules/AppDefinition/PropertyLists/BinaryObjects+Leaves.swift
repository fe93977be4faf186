import Foundation

extension BinaryObjects {
    /// Decodes an object that contains no other objects, such as a string, a number or a date.
    /// - Throws: an error if the object is malformed, or is an array or a dictionary.
    func leaf(_ object: BinaryObject) throws(UnreadablePropertyList) -> PropertyList {
        switch object.type {
        case .constant:
            return try constant(object)
        case .integer:
            return try integer(object)
        case .real:
            return .real(try real(object))
        case .date:
            let seconds = try real(object)
            guard seconds.isFinite else { throw .malformedBinary("a date that is not finite") }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data:
            return .data(Data(try slice(from: object.content, count: object.count, size: 1)))
        case .asciiString:
            let text = try slice(from: object.content, count: object.count, size: 1)
            guard text.allSatisfy({ $0 < 0x80 }) else {
                throw .malformedBinary("a string that is marked as ASCII, but is not ASCII")
            }
            return .string(String(decoding: text, as: UTF8.self))
        case .utf16String:
            return .string(try utf16String(object))
        case .array, .dictionary:
            throw .malformedBinary("a key that is not a string")
        }
    }

    private func constant(_ object: BinaryObject) throws(UnreadablePropertyList) -> PropertyList {
        switch object.info {
        case 0x0: return .null
        case 0x8: return .boolean(false)
        case 0x9: return .boolean(true)
        default: throw .malformedBinary("an unknown constant")
        }
    }

    /// Decodes an integer object. Integers of one, two and four bytes are unsigned, and longer
    /// integers are signed. A value that does not fit `Int` becomes a real number.
    private func integer(_ object: BinaryObject) throws(UnreadablePropertyList) -> PropertyList {
        guard object.info <= 4 else { throw .malformedBinary("an integer of unknown size") }
        let content = try slice(from: object.content, count: 1 << Int(object.info), size: 1)
        let low = content.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard content.count == 16 else { return .integer(Int(truncatingIfNeeded: low)) }
        let high = Int64(bitPattern: content.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        let value = Int128(high) << 64 | Int128(low)
        return Int(exactly: value).map(PropertyList.integer) ?? .real(Double(value))
    }

    private func real(_ object: BinaryObject) throws(UnreadablePropertyList) -> Double {
        guard object.info == 2 || object.info == 3 else {
            throw .malformedBinary("a real number of unknown size")
        }
        let content = try slice(from: object.content, count: 1 << Int(object.info), size: 1)
        let bits = content.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return object.info == 3
            ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    private func utf16String(_ object: BinaryObject) throws(UnreadablePropertyList) -> String {
        let content = try slice(from: object.content, count: object.count, size: 2)
        let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
            UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
        }
        guard let string = String(validating: units, as: UTF16.self) else {
            throw .malformedBinary("a string that is marked as UTF-16, but is not UTF-16")
        }
        return string
    }
}
