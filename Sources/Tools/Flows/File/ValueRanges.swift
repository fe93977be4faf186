import CYaml
import Foundation

/// The ranges of all values in a YAML text, that is, the characters that new values replace.
struct ValueRanges {
    private struct Position: Hashable {
        let line: Int
        let column: Int
    }

    private let text: [Unicode.Scalar]
    private var ranges: [Position: Range<Int>] = [:]

    /// The line breaks of YAML 1.1, which the parser counts.
    private static let breaks: Set<Unicode.Scalar> = [
        "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}",
    ]

    /// Finds all values of a text that has no byte order mark. A text that is no YAML has none after
    /// its defect.
    init(_ text: [Unicode.Scalar]) {
        self.text = text
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text)
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { return }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        // The parser refuses the surrogates of JSON. For the ranges, an escape of the same width does.
        let readable = String(view).replacingOccurrences(
            of: #"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"#, with: #"\\u0020"#, options: .regularExpression)
        Array(readable.utf8).withUnsafeBufferPointer { bytes in
            yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
            addValues(of: parser)
        }
    }

    /// Returns the range of the value that begins at a line and a column, in Unicode scalars; nil if
    /// no value begins there.
    func range(at place: Place) -> Range<Int>? {
        ranges[Position(line: place.line, column: place.column)]
    }

    private mutating func addValues(of parser: UnsafeMutablePointer<yaml_parser_t>) {
        var lists: [(start: yaml_mark_t, isFlow: Bool)] = []
        /// The offset at which the last value ends.
        var end = 0
        var event = yaml_event_t()
        while yaml_parser_parse(parser, &event) == 1 {
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_STREAM_END_EVENT: return
            case YAML_SCALAR_EVENT:
                end = trimmed(Int(event.end_mark.index), from: Int(event.start_mark.index))
                add(event.start_mark, end)
            case YAML_SEQUENCE_START_EVENT:
                let style = event.data.sequence_start.style
                lists.append((event.start_mark, style == YAML_FLOW_SEQUENCE_STYLE))
            case YAML_MAPPING_START_EVENT:
                let style = event.data.mapping_start.style
                lists.append((event.start_mark, style == YAML_FLOW_MAPPING_STYLE))
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
                guard let (start, isFlow) = lists.popLast() else { return }
                if isFlow {
                    end = Int(event.end_mark.index)
                } else {
                    // The comment after the last entry belongs to the block.
                    let line = text[end...].firstIndex(where: Self.breaks.contains)
                    end = trimmed(line ?? text.count, from: Int(start.index))
                }
                // A block mapping takes the place of its first key, which begins there, too.
                add(start, end)
            default: break
            }
        }
    }

    private mutating func add(_ start: yaml_mark_t, _ end: Int) {
        let position = Position(line: Int(start.line) + 1, column: Int(start.column) + 1)
        ranges[position] = Int(start.index)..<end
    }

    /// Returns the end of a value without the blanks and the line breaks before it.
    private func trimmed(_ end: Int, from start: Int) -> Int {
        let isBlank = { (scalar: Unicode.Scalar) in
            scalar == " " || scalar == "\t" || Self.breaks.contains(scalar)
        }
        return (text[start..<end].lastIndex { !isBlank($0) } ?? start - 1) + 1
    }
}
