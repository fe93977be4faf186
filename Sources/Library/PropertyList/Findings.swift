/// Collects what all readers of one file find, in the order in which they find it.
final class Findings {
    private let file: String
    private(set) var defects: [Finding] = []
    private(set) var warnings: [Finding] = []

    init(file: String) {
        self.file = file
    }

    func addDefect(_ reason: String, at keyPath: String) {
        defects.append(Finding(file: file, keyPath: keyPath, reason: reason))
    }

    func addWarning(_ reason: String, at keyPath: String) {
        warnings.append(Finding(file: file, keyPath: keyPath, reason: reason))
    }
}
