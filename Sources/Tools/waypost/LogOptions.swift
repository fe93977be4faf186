import ArgumentParser
import Foundation
import Logging
import WaypostCore

/// The options of the log, which is written to standard error.
struct LogOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case auto, text, json
    }

    /// The log levels, under the names that swift-log uses.
    enum Level: String, ExpressibleByArgument, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    @Option(help: "The format of the log; auto means text on a terminal and JSON lines elsewhere.")
    var logFormat = Format.auto

    @Option(help: "Log entries below this severity are not logged.")
    var logLevel = Level.info

    @Option(help: "Whether each request is logged, with the severity info.")
    var accessLog = OnOff.on

    func makeLog(_ environment: Environment) -> Log {
        Log(
            format, level: Logger.Level(rawValue: logLevel.rawValue) ?? .info,
            now: { environment.now().milliseconds },
            write: { bytes in
                // The write fails if nothing reads standard error; the service continues.
                try? FileHandle.standardError.write(contentsOf: Data(bytes))
            })
    }

    /// The format of the log. For the option `auto`, it is text if standard error is a terminal,
    /// and JSON otherwise.
    var format: LogFormat {
        switch logFormat {
        case .auto: isatty(STDERR_FILENO) == 1 ? .text : .json
        case .text: .text
        case .json: .json
        }
    }
}
