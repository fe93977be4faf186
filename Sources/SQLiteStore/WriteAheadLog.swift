import Foundation

/// The write-ahead log of a closed store, read directly from its file. Section 4 of SQLite's file
/// format documentation describes the format. If the checksum of a frame is wrong, SQLite silently
/// ignores this frame and all later frames. This type counts the frames and transactions that are
/// lost in this way.
struct WriteAheadLog {
    /// The lost part of the log, from the first damaged frame on. Only frames of the log's current
    /// generation count as lost. SQLite begins a new generation each time it overwrites the log
    /// from the start, and gives all frames of a generation the same salts.
    struct Damage: CustomStringConvertible {
        /// The number of the first damaged frame, counted from 1; 0 stands for the header of the
        /// log.
        let frame: Int
        /// The number of lost frames that have the salts of the current generation.
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

    /// The damage; nil if there is none. If only the last transaction is lost, the log does not
    /// count as damaged: a power cut may have interrupted the write of this transaction. With
    /// `Durability.full`, the service has not yet confirmed such a transaction to a client.
    let damage: Damage?

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Reads the log of a store.
    /// - Parameter path: the path of the database file.
    /// - Returns: nil if the log does not exist or is shorter than its header.
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

        /// Adds bytes to the checksum.
        /// - Parameter bytes: the bytes to add. Their number must be a multiple of 8.
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
