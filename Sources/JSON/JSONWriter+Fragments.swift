/// Writing of fragments that already are JSON: encoded earlier, or constants.
extension JSONWriter {
    /// Writes members.
    /// - Parameter text: one member or more, separated by commas.
    @inlinable @inline(__always)
    public mutating func members(_ text: StaticString) {
        literal(text)
    }

    /// Writes an element of an array.
    /// - Parameter bytes: the element as JSON.
    public mutating func element(_ bytes: [UInt8]) { members(bytes) }

    /// Writes members.
    /// - Parameter bytes: one member or more, separated by commas.
    public mutating func members(_ bytes: [UInt8]) {
        if capacity - count < bytes.count + 1 { grow(by: bytes.count + 1) }
        separate()
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
        needsComma = true
    }

    /// The positions of the fragments of the last two keys. Two are enough: the events of a change
    /// alternate between two view controllers and have one revision.
    public struct RecentFragments<Key: Equatable> {
        @usableFromInline var newer: (key: Key, place: Range<Int>)?
        @usableFromInline var older: (key: Key, place: Range<Int>)?

        @inlinable
        public init() {}
    }

    /// Writes members for `key`, or copies them if this key was one of the last two.
    /// - Parameter write: writes at least one member. It must not be the first in its object.
    @inlinable @inline(__always)
    public mutating func repeatedFragment<Key>(
        of key: Key, in recent: inout RecentFragments<Key>, _ write: (inout JSONWriter) -> Void
    ) {
        if let (known, place) = recent.newer, known == key { return again(place) }
        if let (known, place) = recent.older, known == key { return again(place) }
        let start = count
        write(&self)
        recent.older = recent.newer
        recent.newer = (key, start..<count)
    }

    @inlinable
    mutating func again(_ place: Range<Int>) {
        if capacity - count < place.count { grow(by: place.count) }
        (start + count).update(from: start + place.lowerBound, count: place.count)
        count += place.count
        needsComma = true
    }
}
