/// How the lines of the log look.
public enum LogFormat: Sendable {
    /// For people: a line of words and `name=value`.
    case text
    /// For programs: a JSON object in each line.
    case json
}
