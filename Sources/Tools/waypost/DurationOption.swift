import ArgumentParser

/// An option's value that is a duration: `90s`, `15m`, `12h`, `30d`.
struct DurationOption: ExpressibleByArgument {
    let duration: Duration
    let defaultValueDescription: String
}

extension DurationOption {
    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }),
            let number = Int(argument.dropLast()), (1...36_500).contains(number)
        else { return nil }
        duration = .seconds(number * unit)
        defaultValueDescription = argument
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

/// An option's value that is a duration such as `90s`, or zero, written as `0` or `0s`.
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
        if argument == "0" || argument == "0s" {
            self = .none
        } else {
            guard let option = DurationOption(argument: argument) else { return nil }
            self.init(duration: option.duration, defaultValueDescription: argument)
        }
    }
}
