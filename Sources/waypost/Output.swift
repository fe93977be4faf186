import Foundation

// Unbuffered, so that a line is there when it is printed, also in a pipe. Nobody may be reading: that
// must not end the service.

func printOutput(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

func printError(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}
