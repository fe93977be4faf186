import Foundation

/// The write-ahead log of a closed store, read directly from its file (section 4 of SQLite's file
/// format). SQLite silently ignores all frames from the first frame with a wrong checksum on. This type
/// counts the frames and the transactions that are lost.
struct WriteAheadLog {
    /// The part of the log's current generation that is lost, from the first damaged frame on. A
    /// generation begins when SQLite overwrites the log from its start; its frames have the same
    /// salts.
    struct Damage: CustomStringConvertible {
        /// The number of the damaged frame, from 1; 0 stands for the log's header.
        let frame: Int
        /// The number of lost frames that still have the salts of the current generation.
        let lostFrames: Int
        let lostTransactions: Int
        let lostBytes: Int

        var description: String {
            """
            the store's log (-wal) is damaged at frame \(frame): \(lostFrames) frames \
            (\(lostBytes) bytes) with \(lostTransactions) transactions cannot be read
            """
        }
    }

    /// The damage; nil if there is none. The loss of the last transaction alone is not reported as
    /// damage: a power cut may have interrupted the write of this transaction. With
    /// `Durability.full`, no response has confirmed it then.
    let damage: Damage?

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Reads a store's log.
    /// - Returns: nil if the store has no log, or an empty one.
    init?(ofStore path: String) {
        guard let file = FileHandle(forReadingAtPath: path + "-wal"),
            let head = try? file.read(upToCount: Self.headerSize).map(Array.init),
            head.count == Self.headerSize
        else { return nil }
        let magic = UInt32(bigEndianAt: 0, of: head)
        var sum = Checksum(isBigEndian: magic & 1 == 1)
        sum.add(head[..<24])
        let isHeaderWhole = magic | 1 == 0x377F_0683 && sum.matches(head[24...])
        var firstDamaged = isHeaderWhole ? nil : 0
        // Frames of an earlier generation of the log have other salts.
        var salts = isHeaderWhole ? head[16..<24] : nil
        let pageSize = isHeaderWhole ? Int(UInt32(bigEndianAt: 8, of: head)) : 4096
        let size = Self.frameHeaderSize + pageSize
        var (number, lostFrames, lostTransactions) = (0, 0, 0)
        while let data = try? file.read(upToCount: size), data.count == size {
            let frame = Array(data)
            number += 1
            let isPresent = frame[8..<16] == salts ?? frame[8..<16]
            salts = salts ?? frame[8..<16]
            if firstDamaged == nil, isPresent {
                sum.add(frame[..<8])
                sum.add(frame[Self.frameHeaderSize...])
                if sum.matches(frame[16..<24]) { continue }
            }
            firstDamaged = firstDamaged ?? number
            guard isPresent else { continue }
            lostFrames += 1
            if UInt32(bigEndianAt: 4, of: frame) != 0 { lostTransactions += 1 }
        }
        // A rolled-back transaction has no commit frame, so it is not counted. A power cut may have
        // torn the last transaction.
        guard let firstDamaged, lostTransactions > 1 else {
            damage = nil
            return
        }
        damage = Damage(
            frame: firstDamaged, lostFrames: lostFrames, lostTransactions: lostTransactions,
            lostBytes: lostFrames * size)
    }

    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// - Parameter bytes: bytes whose count is a multiple of 8.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    first = first &+ word(bytes, offset) &+ second
                    second = second &+ word(bytes, offset + 4) &+ first
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        func matches(_ stored: ArraySlice<UInt8>) -> Bool {
            let bytes = Array(stored)
            return bytes.count == 8 && UInt32(bigEndianAt: 0, of: bytes) == first
                && UInt32(bigEndianAt: 4, of: bytes) == second
        }
    }
}

extension UInt32 {
    fileprivate init(bigEndianAt offset: Int, of bytes: [UInt8]) {
        self = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
