import Foundation

/// Decodes a binary property list.
///
/// Foundation's decoder is unsafe for untrusted files. An array can contain the same object twice,
/// and Foundation expands the object each time, without a limit. A file of 200 bytes with thirty
/// arrays, each of which contains the next array twice, therefore ends the process.
///
/// A check before Foundation's decoder would have to visit all objects, and so this type decodes
/// them itself.
struct BinaryPropertyList {
    private let objects: BinaryObjects
    /// The numbers of the arrays and dictionaries that contain the current object, from the top
    /// level down.
    private var ancestors: [Int] = []
    private var values = 0
    /// The decoded leaves (objects that contain no other objects), by object number. A leaf to
    /// which many arrays refer is decoded only once.
    private var leaves: [Int: PropertyList] = [:]
    /// The total length of `leaves`, in bytes or UTF-16 code units. If this total exceeds the size
    /// of the file, objects overlap, and the file is malformed.
    private var leafSize = 0

    static func value(of bytes: [UInt8]) throws(UnreadablePropertyList) -> PropertyList {
        var decoder = BinaryPropertyList(objects: try BinaryObjects(bytes))
        return try decoder.value(at: decoder.objects.top)
    }

    private init(objects: BinaryObjects) {
        self.objects = objects
    }

    private mutating func value(at index: Int) throws(UnreadablePropertyList) -> PropertyList {
        values += 1
        guard values <= PropertyListLimits.values else { throw PropertyListLimits.tooManyValues }
        let object = try objects.object(at: index)
        switch object.type {
        case .array:
            try enter(object, at: index)
            defer { ancestors.removeLast() }
            return .array(try array(object))
        case .dictionary:
            try enter(object, at: index)
            defer { ancestors.removeLast() }
            return .dictionary(try dictionary(object))
        default:
            return try leaf(object, at: index)
        }
    }

    private mutating func enter(
        _ object: BinaryObject, at index: Int
    ) throws(UnreadablePropertyList) {
        guard object.count <= PropertyListLimits.values else {
            throw PropertyListLimits.tooManyValues
        }
        guard !ancestors.contains(index) else {
            throw UnreadablePropertyList(reason: "an array or a dictionary contains itself")
        }
        guard ancestors.count < PropertyListLimits.nesting else { throw PropertyListLimits.tooDeep }
        ancestors.append(index)
    }

    private mutating func array(
        _ object: BinaryObject
    ) throws(UnreadablePropertyList) -> [PropertyList] {
        var array: [PropertyList] = []
        for reference in try objects.references(of: object, count: object.count) {
            array.append(try value(at: reference))
        }
        return array
    }

    private mutating func dictionary(
        _ object: BinaryObject
    ) throws(UnreadablePropertyList) -> [String: PropertyList] {
        let references = try objects.references(of: object, count: object.count * 2)
        var dictionary: [String: PropertyList] = [:]
        for (key, member) in zip(references, references.dropFirst(object.count)) {
            guard case .string(let name) = try leaf(objects.object(at: key), at: key) else {
                throw .malformedBinary("a key that is not a string")
            }
            guard dictionary.updateValue(try value(at: member), forKey: name) == nil else {
                throw .malformedBinary("the key \(name) twice in one dictionary")
            }
        }
        return dictionary
    }

    private mutating func leaf(
        _ object: BinaryObject, at index: Int
    ) throws(UnreadablePropertyList) -> PropertyList {
        if let known = leaves[index] { return known }
        // The check subtracts, because the sum of the two sizes could overflow `Int`.
        guard object.count <= objects.size - leafSize else {
            throw .malformedBinary("objects that overlap")
        }
        leafSize += object.count
        let leaf = try objects.leaf(object)
        leaves[index] = leaf
        return leaf
    }
}
