/// A value that a test expects: a text, a number, a list of these, or nil. A literal makes one.
public struct ExpectedValue: Sendable, Equatable, CustomStringConvertible {
    private enum Form: Equatable {
        case absent
        case text(String)
        case number(Int)
        case list([ExpectedValue])
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    init(_ text: String?) { self.init(text.map(Form.text) ?? .absent) }

    init(_ texts: [String?]) { self.init(.list(texts.map { ExpectedValue($0) })) }

    /// Creates the number of the texts if a number is expected, and otherwise their list.
    init(_ texts: [String?], like expected: ExpectedValue?) {
        if case .number? = expected?.form {
            self.init(.number(texts.count))
        } else {
            self.init(texts)
        }
    }

    /// Creates an index if a number is expected, and otherwise the title at the index.
    init(_ index: Int?, in titles: [String?]?, like expected: ExpectedValue?) {
        guard let index, let titles, index < titles.count else {
            self.init(.absent)
            return
        }
        if case .number? = expected?.form {
            self.init(.number(index))
        } else {
            self.init(titles[index])
        }
    }

    /// The value as text, such as `[Authors, Emma]`.
    public var description: String {
        switch form {
        case .absent: "nil"
        case .text(let text): text
        case .number(let number): "\(number)"
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        }
    }
}

extension ExpectedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self.init(.text(value)) }

    /// Creates a number.
    public init(integerLiteral value: Int) { self.init(.number(value)) }

    /// Creates the value nil: there is no text.
    public init(nilLiteral: ()) { self.init(.absent) }

    /// Creates a list.
    public init(arrayLiteral elements: ExpectedValue...) { self.init(.list(elements)) }
}
