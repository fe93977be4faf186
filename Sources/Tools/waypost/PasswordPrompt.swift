import ArgumentParser
import Foundation
import Synchronization

/// Reads a password from the terminal or from standard input. Commands do not take passwords as
/// arguments, because other users of the machine could see them.
enum PasswordPrompt {
    static let help = """
        On a terminal, the command asks for the password. Otherwise it reads the password as one \
        line from standard input.
        """

    static func read() throws -> String {
        guard isatty(STDIN_FILENO) == 1 else { return try line() }
        let password = try hiddenLine("Password: ")
        guard try hiddenLine("Password again: ") == password else {
            throw CommandFailure("the two passwords differ, and nothing was changed: try again")
        }
        return password
    }

    private static func hiddenLine(_ prompt: String) throws -> String {
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        var terminal = termios()
        tcgetattr(STDIN_FILENO, &terminal)
        let shown = terminal.c_lflag
        flags.store(shown, ordering: .sequentiallyConsistent)
        // A signal that ends the command must not leave the terminal without its echo.
        let actions = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !isIgnored($0) }.map { number in
            let action = signal(number) { number in
                // In the background, a change of the terminal would stop the process.
                if tcgetpgrp(STDIN_FILENO) == getpgrp() {
                    PasswordPrompt.setFlags(
                        PasswordPrompt.flags.load(ordering: .sequentiallyConsistent))
                }
                signal(number, SIG_DFL)
                raise(number)
            }
            return (number, action)
        }
        setFlags(shown & ~tcflag_t(ECHO))
        defer {
            setFlags(shown)
            for (number, action) in actions { signal(number, action) }
            printError("")
        }
        return try line()
    }

    /// The flags of the terminal before the prompt, for the handlers of signals.
    private static let flags = Atomic<tcflag_t>(0)

    private static func setFlags(_ flags: tcflag_t) {
        var terminal = termios()
        tcgetattr(STDIN_FILENO, &terminal)
        terminal.c_lflag = flags
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal)
    }

    /// Reads a line. The standard library's `readLine` would replace the bytes that are not UTF-8, so
    /// that the password would be another one than its user believes.
    private static func line() throws -> String {
        var bytes: [UInt8] = []
        var isAtEnd = true
        // One byte at a time, so that the next line stays in the input.
        while let byte = try FileHandle.standardInput.read(upToCount: 1)?.first {
            isAtEnd = false
            if byte == UInt8(ascii: "\n") {
                if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
                break
            }
            bytes.append(byte)
        }
        guard !isAtEnd else {
            throw CommandFailure("no password on standard input: send the password as one line")
        }
        guard let line = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                "the password is not in UTF-8, and nothing was changed: send it in UTF-8")
        }
        return line
    }
}
