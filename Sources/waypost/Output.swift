import Foundation

// Unbuffered, so that a line is there when it is printed, also in a pipe.

func printOutput(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func printError(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
}
