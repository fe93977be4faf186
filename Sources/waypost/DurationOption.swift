import ArgumentParser

/// An option's value that is a duration: `90s`, `15m`, `12h`, `30d`.
struct DurationOption: ExpressibleByArgument {
    let duration: Duration
    let defaultValueDescription: String

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }),
            let number = Int(argument.dropLast()), (1...36_500).contains(number)
        else { return nil }
        duration = .seconds(number * unit)
        defaultValueDescription = argument
    }

    /// Creates an option from a duration.
    /// - Precondition: `duration` is a whole number of seconds.
    init(_ duration: Duration) {
        self.init(
            duration: duration, defaultValueDescription: "\(duration.components.seconds)s")
    }

    static func days(_ number: Int) -> DurationOption {
        DurationOption(duration: .seconds(number * 86_400), defaultValueDescription: "\(number)d")
    }

    private init(duration: Duration, defaultValueDescription: String) {
        self.duration = duration
        self.defaultValueDescription = defaultValueDescription
    }
}

/// An option's value that is a duration such as `90s`, or zero, written as `0` or `0s`.
struct DelayOption: ExpressibleByArgument {
    let duration: Duration
    let defaultValueDescription: String

    static let none = DelayOption(duration: .zero, defaultValueDescription: "0")

    private init(duration: Duration, defaultValueDescription: String) {
        self.duration = duration
        self.defaultValueDescription = defaultValueDescription
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
