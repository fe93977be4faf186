import ArgumentParser
import Foundation

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
        var settings = termios()
        tcgetattr(STDIN_FILENO, &settings)
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            printError("")
        }
        return try line()
    }

    private static func line() throws -> String {
        guard let line = readLine() else {
            throw CommandFailure("no password on standard input: send the password as one line")
        }
        return line
    }
}
