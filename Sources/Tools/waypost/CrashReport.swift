import Foundation

/// Keeps secrets out of the report that Swift's runtime prints when the process crashes.
///
/// If the program `swift-backtrace` is installed, the runtime starts it at a crash. Its report has
/// the call stacks of all threads. It also has the registers of the crashed thread and the memory
/// to which they point, which may hold a client's token. The environment variable `SWIFT_BACKTRACE`
/// selects the content of the report. The runtime reads the variable before the first line of the
/// program. A change of the variable therefore takes effect only if the program is executed again.
enum CrashReport {
    private static let variable = "SWIFT_BACKTRACE"
    /// The signals for which the runtime prints a report.
    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP]

    /// Executes this program again in the same process, with a setting that leaves the registers
    /// out of crash reports. If that fails, turns crash reports off. Does nothing if the runtime
    /// prints no reports, or if the operator has already set how reports show registers.
    ///
    /// Call this method before all other code of the program.
    static func leaveOutMemory() {
        guard isOn,
            let settings = settings(from: ProcessInfo.processInfo.environment[variable])
        else { return }
        setenv(variable, settings, 1)
        // The path comes first, because the process gets its name from it. After an upgrade of the
        // program the path may no longer exist.
        for path in [executable, "/proc/self/exe"] { execv(path, CommandLine.unsafeArgv) }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Returns the new value of `SWIFT_BACKTRACE`; nil if the value need not change.
    /// - Parameter present: the current value; nil if the variable is not set.
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

    /// Whether the runtime prints a report at a crash.
    private static var isOn: Bool {
        var action = sigaction()
        guard sigaction(SIGSEGV, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
    }
}
