import Foundation

/// Keeps secrets out of what is printed when the process crashes.
///
/// Swift's runtime starts `swift-backtrace` then, where it is installed. Its report has the call stacks of
/// all threads, the registers of the one that crashed, and the memory that they point to: perhaps a
/// client's token. The environment variable `SWIFT_BACKTRACE` says what the report has. The runtime reads
/// it before the program's first line, so that a program can set it only for the next one.
enum CrashReport {
    private static let variable = "SWIFT_BACKTRACE"
    /// The signals that the runtime reports.
    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP]

    /// Runs this program anew in the same process, without registers in its report, unless crashes are not
    /// reported or the operator has said which registers are. Where that fails, crashes are not reported.
    ///
    /// To be called before anything else. Returns if there is nothing to change.
    static func leaveOutMemory() {
        guard isOn,
            let settings = settings(from: ProcessInfo.processInfo.environment[variable])
        else { return }
        setenv(variable, settings, 1)
        // The path comes first, as the process gets its name from it. After an upgrade nothing may
        // be there.
        for path in [executable, "/proc/self/exe"] { execv(path, CommandLine.unsafeArgv) }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Returns what the variable should be; nil if it can stay as it is.
    static func settings(from present: String?) -> String? {
        guard let present, !present.isEmpty else { return "registers=none" }
        let keys = present.split(separator: ",").compactMap { setting in
            setting.split(separator: "=", omittingEmptySubsequences: false).first?
                .trimmingCharacters(in: .whitespaces)
        }
        return keys.contains("registers") ? nil : present + ",registers=none"
    }

    private static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    }

    /// Whether the runtime handles crashes.
    private static var isOn: Bool {
        var action = sigaction()
        guard sigaction(SIGSEGV, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
    }
}
