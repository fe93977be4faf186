/// Checks the structure of an XML property list before Foundation decodes it.
///
/// Foundation alone is not strict enough. It ignores content after `</plist>`, accepts any root
/// element, keeps only the last of two equal keys, and reports errors without exact positions. Its
/// behaviour for deep nesting is undocumented.
///
/// The check also rejects a document type that contains declarations, so that no declared entities
/// are expanded. Foundation rejects such document types, too, but possibly not in every version.
struct XMLCheck {
    private let text: ArraySlice<UInt8>
    private let maximumValues: Int
    private var position: Int
    private var open: [Element] = []
    private var hasRoot = false
    private var nesting = 0
    private var values = 0
    private var keys = 0

    private struct Element {
        let name: String
        let start: Int
        let content: Int
        /// The keys that the check has read so far, if the element is a dictionary.
        var keys: Set<String> = []
    }

    /// Checks the text of a file.
    /// - Parameter maximumValues: the maximum number of values; another one only for tests.
    /// - Returns: the total number of keys in all dictionaries.
    /// - Throws: the reason why the text is rejected.
    static func check(
        _ text: ArraySlice<UInt8>, maximumValues: Int = PropertyListLimits.values
    ) throws(UnreadablePropertyList) -> Int {
        var check = XMLCheck(text, maximumValues)
        try check.run()
        return check.keys
    }

    private init(_ text: ArraySlice<UInt8>, _ maximumValues: Int) {
        self.text = text
        self.maximumValues = maximumValues
        position = text.startIndex
    }

    private mutating func run() throws(UnreadablePropertyList) {
        while let markup = text[position...].firstIndex(of: UInt8(ascii: "<")) {
            try checkText(upTo: markup)
            position = markup
            try readMarkup()
        }
        try checkText(upTo: text.endIndex)
        if let element = open.last {
            throw unreadable("the file ends inside <\(element.name)>", at: element.start)
        }
        guard hasRoot else { throw unreadable("the file has no <plist>", at: text.startIndex) }
    }

    private func checkText(upTo end: Int) throws(UnreadablePropertyList) {
        guard open.isEmpty else { return }
        let start = text[position..<end].firstIndex { !Self.blanks.contains($0) }
        guard let start else { return }
        throw unreadable("text \(hasRoot ? "after </plist>" : "before <plist>")", at: start)
    }

    private mutating func readMarkup() throws(UnreadablePropertyList) {
        let markup = text[position...]
        if markup.starts(with: "<!--".utf8) {
            try skip(past: "-->", orElse: "a comment")
        } else if markup.starts(with: "<![CDATA[".utf8), !open.isEmpty {
            try skip(past: "]]>", orElse: "a CDATA section")
        } else if markup.starts(with: "<?".utf8) {
            try skip(past: "?>", orElse: "a processing instruction")
        } else if markup.starts(with: "<!DOCTYPE".utf8) {
            let start = position
            try skip(past: ">", orElse: "the document type")
            if text[start..<position].contains(UInt8(ascii: "[")) {
                throw unreadable("the document type declares entities or elements", at: start)
            }
        } else {
            try readTag()
        }
    }

    private mutating func readTag() throws(UnreadablePropertyList) {
        let start = position
        guard let end = text[start...].firstIndex(of: UInt8(ascii: ">")) else {
            throw unreadable("the file ends inside a tag", at: start)
        }
        position = end + 1
        var tag = text[start..<end].dropFirst()
        let isEnd = tag.first == UInt8(ascii: "/")
        if isEnd { tag = tag.dropFirst() }
        let word = tag.prefix { !Self.blanks.contains($0) && $0 != UInt8(ascii: "/") }
        let name = String(decoding: word.prefix(32), as: UTF8.self)
        guard Self.names.contains(name) else {
            throw unreadable("<\(name)> is not part of a property list", at: start)
        }
        if isEnd {
            try close(name, at: start)
        } else {
            try open(name, at: start)
            if tag.last == UInt8(ascii: "/") { try close(name, at: start) }
        }
    }

    private mutating func open(_ name: String, at start: Int) throws(UnreadablePropertyList) {
        if open.isEmpty {
            guard !hasRoot else { throw unreadable("<\(name)> after </plist>", at: start) }
            guard name == "plist" else {
                throw unreadable("the root is <\(name)>, not <plist>", at: start)
            }
            hasRoot = true
        }
        open.append(Element(name: name, start: start, content: position))
        if Self.collections.contains(name) { nesting += 1 }
        if name != "key" { values += 1 }
        guard nesting <= PropertyListLimits.nesting else { throw PropertyListLimits.tooDeep }
        guard values <= maximumValues else { throw PropertyListLimits.tooManyValues }
    }

    private mutating func close(_ name: String, at start: Int) throws(UnreadablePropertyList) {
        guard let element = open.popLast() else {
            throw unreadable("</\(name)> closes nothing", at: start)
        }
        guard element.name == name else {
            throw unreadable("expected </\(element.name)>, found </\(name)>", at: start)
        }
        if Self.collections.contains(name) { nesting -= 1 }
        if name == "key" { try note(key: text[element.content..<max(element.content, start)]) }
    }

    private mutating func note(key: ArraySlice<UInt8>) throws(UnreadablePropertyList) {
        guard let parent = open.indices.last else { return }
        keys += 1
        let key = XMLText(key).content
        guard open[parent].keys.insert(key).inserted else {
            throw unreadable("the key \(key.prefix(80)) twice in one dictionary", at: position)
        }
    }

    private mutating func skip(
        past end: String, orElse unfinished: String
    ) throws(UnreadablePropertyList) {
        guard let range = text[position...].firstRange(of: Array(end.utf8)) else {
            throw unreadable("the file ends inside \(unfinished)", at: position)
        }
        position = range.upperBound
    }

    private func unreadable(_ reason: String, at position: Int) -> UnreadablePropertyList {
        let line = text[..<position].count { $0 == UInt8(ascii: "\n") } + 1
        return UnreadablePropertyList(reason: "not a valid property list: line \(line): \(reason)")
    }

    private static let blanks = Array(" \t\r\n".utf8)
    private static let collections: Set = ["array", "dict"]
    private static let names: Set = [
        "plist", "array", "dict", "key", "string", "integer", "real", "true", "false", "date",
        "data",
    ]
}
