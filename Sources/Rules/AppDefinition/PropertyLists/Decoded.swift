import Foundation
import JSON

/// A value that was decoded from a file without defects, and the warnings about the file.
public struct Decoded<Value> {
    public let value: Value
    public let warnings: [Diagnostic]
    /// The digest of the bytes of all files from which the value was decoded.
    public let digest: ContentDigest
}

extension Decoded {
    /// Reads a property list from a file and decodes a value from it. Blocks the thread until the
    /// file is read.
    /// - Parameters:
    ///   - parser: parses the file if it is JSON; nil if it cannot be JSON.
    ///   - decode: decodes the value. It reports each defect to the reader and continues, so that
    ///     one run finds all defects. After a defect, its result is ignored. If it returns nil, it
    ///     must have reported a defect.
    /// - Throws: all defects in the format and the content of the file.
    public init(
        contentsOfFile path: String,
        admittingJSON parser: JSONParser? = nil,
        decode: (PropertyListReader) -> Value?
    ) throws(UnusableFile) {
        let file = URL(fileURLWithPath: path).lastPathComponent
        let bytes: [UInt8]
        do {
            bytes = try PropertyList.bytes(ofFile: path)
        } catch {
            throw UnusableFile(error, file: path)
        }
        try self.init(bytes: bytes, from: file, admittingJSON: parser, decode: decode)
    }

    /// Decodes a value from the bytes of a file.
    /// - Parameters:
    ///   - file: the file name that diagnostics show.
    ///   - parser: parses the file if it is JSON; nil if it cannot be JSON.
    ///   - showsPositions: whether diagnostics show the lines and columns of values in JSON. False
    ///     if `bytes` were generated from the file, which has other lines.
    ///   - decode: decodes the value and reports defects to the reader. If it returns nil, it must
    ///     have reported a defect.
    /// - Throws: all defects in the format and the content of the file.
    public init(
        bytes: [UInt8], from file: String, admittingJSON parser: JSONParser? = nil,
        showsPositions: Bool = true, decode: (PropertyListReader) -> Value?
    ) throws(UnusableFile) {
        let propertyList: PropertyList
        var digest = ContentDigest()
        digest.add(bytes)
        do {
            propertyList = try PropertyList(
                bytes: bytes, admittingJSON: parser, isNamedJSON: file.hasSuffix(".json"))
        } catch {
            throw UnusableFile(error, file: file)
        }
        let diagnostics = Diagnostics(file: file) {
            showsPositions ? JSONPositions(ofJSON: bytes) : nil
        }
        let decoded = try Decoded(propertyList, diagnostics, decode: decode)
        self.init(value: decoded.value, warnings: decoded.warnings, digest: digest)
    }

    init(
        _ propertyList: PropertyList, _ diagnostics: Diagnostics,
        decode: (PropertyListReader) -> Value?
    ) throws(UnusableFile) {
        let value = decode(PropertyListReader(propertyList, diagnostics: diagnostics))
        guard let value, diagnostics.defects.isEmpty else {
            precondition(!diagnostics.defects.isEmpty, "no value, and no defect that says why")
            throw UnusableFile(defects: diagnostics.defects, warnings: diagnostics.warnings)
        }
        self.init(value: value, warnings: diagnostics.warnings, digest: ContentDigest())
    }

    /// Returns this value with the warnings of both `self` and `other`, and with one digest that
    /// combines theirs.
    public func adding<Other>(_ other: Decoded<Other>) -> Decoded {
        var digest = digest
        digest.add(other.digest)
        return Decoded(value: value, warnings: warnings + other.warnings, digest: digest)
    }
}

extension UnusableFile {
    fileprivate init(_ error: UnreadablePropertyList, file: String) {
        self.init(
            defects: [Diagnostic(file: file, keyPath: "", reason: error.reason)], warnings: [])
    }
}

extension Decoded: Sendable where Value: Sendable {}
extension Decoded: Equatable where Value: Equatable {}

/// A 64-bit FNV-1a digest of file contents. Equal contents have equal digests in every process. The
/// digest distinguishes versions of a file but does not protect from forgery.
public struct ContentDigest: Sendable, Equatable {
    public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    public mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    public mutating func add(_ other: ContentDigest) {
        withUnsafeBytes(of: other.value.littleEndian) { add($0) }
    }
}
