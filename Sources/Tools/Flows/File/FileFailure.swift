import Foundation

/// The reason why a file that the user has named cannot be read or written.
package struct FileFailure: Error, CustomStringConvertible {
    package let path: String
    /// The reason of the system, such as "Permission denied"; what to do if no file is there to read.
    package let reason: String
    private let problem: String

    /// - Parameter code: the number of the error.
    init(reading path: String, _ code: Int32) {
        self.path = path
        problem = "cannot be read"
        reason = code == ENOENT ? "name an existing file" : String(cString: strerror(code))
    }

    /// - Parameter code: the number of the error.
    init(writing path: String, _ code: Int32) {
        self.path = path
        problem = "the file cannot be written"
        reason = String(cString: strerror(code))
    }

    package var description: String { "\(path): \(problem): \(reason)" }
}
