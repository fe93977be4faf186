import ArgumentParser

/// An option's value that is a duration: `90s`, `15m`, `12h`, `30d`; at most 36,500 days.
struct DurationOption: ExpressibleByArgument {
    let duration: Duration
    let defaultValueDescription: String
}

extension DurationOption {
    init?(argument: String) {
        guard let seconds = Self.seconds(in: argument), seconds > 0 else { return nil }
        duration = .seconds(seconds)
        defaultValueDescription = argument
    }

    /// Returns the number of seconds that a text such as `15m` means; nil if it is no duration.
    fileprivate static func seconds(in text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            (0...36_500 * 86_400 / unit).contains(number)
        else { return nil }
        return number * unit
    }

    /// Creates an option from a duration. Its text has the largest unit that gives a whole number;
    /// a single day is 24h.
    /// - Precondition: `duration` is a whole number of seconds.
    init(_ duration: Duration) {
        let seconds = Int(duration.components.seconds)
        let units = [("h", 3600), ("m", 60), ("s", 1)]
        let isDays = seconds % 86_400 == 0 && seconds > 86_400
        let (name, size) =
            isDays ? ("d", 86_400) : units.first { seconds % $0.1 == 0 } ?? ("s", 1)
        self.init(duration: duration, defaultValueDescription: "\(seconds / size)\(name)")
    }

    static func days(_ number: Int) -> DurationOption {
        DurationOption(.seconds(number * 86_400))
    }
}

/// An option's value that is a duration such as `90s`, or zero, also written as `0`.
struct DelayOption: ExpressibleByArgument {
    let duration: Duration
    let defaultValueDescription: String

    static let none = DelayOption(duration: .zero, defaultValueDescription: "0")
}

extension DelayOption {
    /// - Precondition: `duration` is a whole number of seconds.
    init(_ duration: Duration) {
        let option = DurationOption(duration)
        self.init(
            duration: option.duration, defaultValueDescription: option.defaultValueDescription)
    }

    init?(argument: String) {
        guard let seconds = argument == "0" ? 0 : DurationOption.seconds(in: argument) else {
            return nil
        }
        self.init(duration: .seconds(seconds), defaultValueDescription: argument)
    }
}
