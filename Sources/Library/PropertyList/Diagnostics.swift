/// Collects what all readers of one file find, in the order in which they find it.
final class Diagnostics {
    private let file: String
    private(set) var defects: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    func addDefect(_ reason: String, at keyPath: String) {
        defects.append(Diagnostic(file: file, keyPath: keyPath, reason: reason))
    }

    func addWarning(_ reason: String, at keyPath: String) {
        warnings.append(Diagnostic(file: file, keyPath: keyPath, reason: reason))
    }
}
