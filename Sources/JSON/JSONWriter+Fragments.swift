/// Text that is JSON already: written before, or when the program was made.
extension JSONWriter {
    /// - Parameter text: members with commas between them.
    @inlinable @inline(__always)
    public mutating func members(_ text: StaticString) {
        literal(text)
    }

    /// - Parameter bytes: of an array.
    public mutating func element(_ bytes: [UInt8]) { members(bytes) }

    /// - Parameter bytes: members with commas between them.
    public mutating func members(_ bytes: [UInt8]) {
        if capacity - count < bytes.count + 1 { grow(by: bytes.count + 1) }
        separate()
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
        needsComma = true
    }

    /// The places of the fragments of the last two keys: the events of a change are of two view
    /// controllers in turn, and of one revision.
    public struct RecentFragments<Key: Equatable> {
        @usableFromInline var newer: (key: Key, place: Range<Int>)?
        @usableFromInline var older: (key: Key, place: Range<Int>)?

        @inlinable
        public init() {}
    }

    /// Members, copied if they have been written of the same key.
    /// - Parameter write: writes one member at least, behind others.
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
