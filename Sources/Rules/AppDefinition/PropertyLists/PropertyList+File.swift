import Foundation
import JSON

extension PropertyList {
    /// Reads a property list from a file in XML, binary or OpenStep format, or in JSON if `parser`
    /// is not nil.
    ///
    /// Blocks the thread until the file is read. Do not call this initializer in the
    /// handler of a request.
    /// - Throws: the reason why the file cannot be read or decoded.
    public init(
        contentsOfFile path: String, admittingJSON parser: JSONParser? = nil
    ) throws(UnreadablePropertyList) {
        try self.init(
            bytes: Self.bytes(ofFile: path), admittingJSON: parser,
            isNamedJSON: path.hasSuffix(".json"))
    }

    /// Decodes the content of a file.
    /// - Parameters:
    ///   - parser: parses JSON; nil if the content cannot be JSON.
    ///   - isNamedJSON: whether the name of the file ends in `.json`. If there is also a
    ///     parser, the content is decoded as JSON whatever its first bytes are, so that error
    ///     messages are about JSON.
    /// - Throws: the reason why the content cannot be decoded.
    public init(
        bytes: [UInt8], admittingJSON parser: JSONParser? = nil, isNamedJSON: Bool = false
    ) throws(UnreadablePropertyList) {
        let content = Self.withoutByteOrderMark(bytes)
        guard var format = PropertyListFormat(sniffing: content) else {
            throw UnreadablePropertyList(reason: "the file is empty; expected a property list")
        }
        if parser != nil, isNamedJSON { format = .json }
        if format != .binary, content.contains(0) {
            throw UnreadablePropertyList(
                reason: "not a property list, or one in UTF-16: save it as UTF-8")
        }
        switch format {
        case .binary:
            self = try BinaryPropertyList.value(of: bytes)
        case .xml:
            let keys = try XMLCheck.check(content)
            self = try Self.foundationValue(of: content, format: .xml)
            try checkNoneIsLost(ofKeys: keys)
        case .openStep:
            let keys = try BracketCheck.check(content, format: .openStep)
            self = try Self.foundationValue(
                of: content, format: .openStep, admitsJSON: parser != nil)
            try checkNoneIsLost(ofKeys: keys)
        case .json:
            guard let parser else {
                throw UnreadablePropertyList(
                    reason: "the file is JSON; expected a property list (XML, binary, OpenStep)")
            }
            _ = try BracketCheck.check(content, format: .json)
            self = try PropertyList(json: content, parser)
        }
    }

    /// Returns the content of a file without the byte order mark of UTF-8, if there is one.
    static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    /// Checks that this value has all keys of the file from which Foundation decoded it. If a
    /// dictionary has the same key twice, Foundation keeps only one of the two values. `XMLCheck`
    /// and `BracketCheck` can miss such keys if they are spelled differently, for example with an
    /// escape sequence. This check finds all of them.
    /// - Parameter keys: the number of keys in the text of the file.
    /// - Throws: an error if this value has fewer keys.
    private func checkNoneIsLost(ofKeys keys: Int) throws(UnreadablePropertyList) {
        guard keyCount < keys else { return }
        throw UnreadablePropertyList(
            reason: "not a valid property list: a key twice in one dictionary")
    }

    /// The total number of keys in this value and in all values that it contains.
    private var keyCount: Int {
        switch self {
        case .array(let elements): elements.reduce(0) { $0 + $1.keyCount }
        case .dictionary(let members): members.values.reduce(members.count) { $0 + $1.keyCount }
        default: 0
        }
    }

    /// Reads the bytes of a regular file. Blocks the thread until the file is read.
    /// - Parameter limit: the maximum size of the file, in bytes; nil for 64 MiB.
    /// - Throws: the reason why the file cannot be read, for example because it is too large.
    public static func bytes(
        ofFile path: String, atMost limit: Int? = nil
    ) throws(UnreadablePropertyList) -> [UInt8] {
        let limit = limit ?? PropertyListLimits.fileSize
        // Without O_NONBLOCK, opening a FIFO waits for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw UnreadablePropertyList(
                reason: "the file cannot be opened: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UnreadablePropertyList(reason: "not a file, but a folder or a device")
        }
        let tooLarge = UnreadablePropertyList(
            reason: "the file is larger than \(limit >> 20) MiB; split it")
        guard status.st_size <= limit else { throw tooLarge }
        let content: Data
        do {
            // One byte more than the limit reveals a file that grows while it is read.
            content = try file.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw UnreadablePropertyList(reason: "the file cannot be read: \(error)")
        }
        guard content.count <= limit else { throw tooLarge }
        return content.withUnsafeBytes { [UInt8]($0) }
    }
}
