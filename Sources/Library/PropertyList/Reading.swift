import Foundation

/// What was read from a file without defects, with what its owner should know all the same.
public struct Reading<Value> {
    public let value: Value
    public let warnings: [Finding]

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
        do {
            propertyList = try PropertyList(contentsOfFile: path, admittingJSON: admitsJSON)
        } catch {
            let defect = Finding(file: file, keyPath: "", reason: error.reason)
            throw UnusableFile(defects: [defect], warnings: [])
        }
        try self.init(propertyList, from: file, decode: decode)
    }

    /// Decodes a property list that is in memory.
    /// - Parameter file: the name that findings bear.
    public init(
        _ propertyList: PropertyList, from file: String, decode: (PropertyListReader) -> Value?
    ) throws(UnusableFile) {
        let findings = Findings(file: file)
        let value = decode(PropertyListReader(propertyList, findings: findings))
        guard let value, findings.defects.isEmpty else {
            precondition(!findings.defects.isEmpty, "no value, and no defect that says why")
            throw UnusableFile(defects: findings.defects, warnings: findings.warnings)
        }
        self.value = value
        warnings = findings.warnings
    }
}

extension Reading {
    private init(value: Value, warnings: [Finding]) {
        self.value = value
        self.warnings = warnings
    }

    /// The same, with what another file's owner should know.
    func adding(_ warnings: [Finding]) -> Reading {
        Reading(value: value, warnings: self.warnings + warnings)
    }
}

extension Reading: Sendable where Value: Sendable {}
extension Reading: Equatable where Value: Equatable {}
