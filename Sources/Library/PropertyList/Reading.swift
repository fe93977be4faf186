import Foundation

/// The content of a file without defects, and the warnings for its owner.
public struct Reading<Value> {
    public let value: Value
    public let warnings: [Diagnostic]
    /// The digest of the files that were read; that of nothing for a property list in memory.
    let digest: ContentDigest

    /// Reads a property list from a file and decodes it.
    /// - Parameter decode: reports what is wrong to the reader and goes on. It may return `nil`,
    ///   or a value with gaps, once it has reported a defect: the value is then dropped.
    /// - Throws: all defects, be it of the file or of what it says.
    public init(
        contentsOfFile path: String,
        admittingJSON admitsJSON: Bool = false,
        decode: (PropertyListReader) -> Value?
    ) throws(UnusableFile) {
        let file = URL(fileURLWithPath: path).lastPathComponent
        let propertyList: PropertyList
        var digest = ContentDigest()
        do {
            let bytes = try PropertyList.bytes(ofFile: path)
            digest.add(bytes)
            propertyList = try PropertyList(bytes: bytes, admittingJSON: admitsJSON)
        } catch {
            let defect = Diagnostic(file: file, keyPath: "", reason: error.reason)
            throw UnusableFile(defects: [defect], warnings: [])
        }
        let reading = try Reading(propertyList, from: file, decode: decode)
        self.init(value: reading.value, warnings: reading.warnings, digest: digest)
    }

    /// Decodes a property list that is in memory.
    /// - Parameter file: the name that findings bear.
    public init(
        _ propertyList: PropertyList, from file: String, decode: (PropertyListReader) -> Value?
    ) throws(UnusableFile) {
        let findings = Diagnostics(file: file)
        let value = decode(PropertyListReader(propertyList, findings: findings))
        guard let value, findings.defects.isEmpty else {
            precondition(!findings.defects.isEmpty, "no value, and no defect that says why")
            throw UnusableFile(defects: findings.defects, warnings: findings.warnings)
        }
        self.init(value: value, warnings: findings.warnings, digest: ContentDigest())
    }
}

extension Reading {
    private init(value: Value, warnings: [Diagnostic], digest: ContentDigest) {
        self.value = value
        self.warnings = warnings
        self.digest = digest
    }

    /// The same reading, with the warnings and the digest of another file.
    func adding<Other>(_ other: Reading<Other>) -> Reading {
        var digest = digest
        digest.add(other.digest)
        return Reading(value: value, warnings: warnings + other.warnings, digest: digest)
    }
}

extension Reading: Sendable where Value: Sendable {}
extension Reading: Equatable where Value: Equatable {}
