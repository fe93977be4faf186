import CXML2
import Glibc

/// The limits for a storyboard file. Files that Xcode writes are far below these limits.
enum XMLLimits {
    /// The maximum size of a file, in bytes: 8 MiB.
    static let fileSize = 8 << 20
    static let depth = 128
    static let elements = 100_000
    /// The maximum number of attributes of an element. The time that libxml2 takes for an element
    /// grows with the square of this number.
    static let attributes = 256
}

/// Reads an XML document with the pull parser of libxml2. Never accesses the network, and refuses a
/// document with a DOCTYPE, which could define entities.
struct XMLDocumentReader: ~Copyable {
    private let reader: xmlTextReaderPtr
    private let bytes: UnsafeMutableBufferPointer<CChar>

    /// Reads a document from the bytes of a file.
    /// - Returns: the root element.
    /// - Throws: the reason why the document cannot be read.
    static func root(of bytes: [UInt8]) throws(UnreadableStoryboard) -> XMLNode {
        try check(bytes)
        guard let reader = XMLDocumentReader(bytes) else {
            throw UnreadableStoryboard(reason: "not XML: libxml2 has no memory for a reader")
        }
        return try reader.readRoot()
    }

    /// Checks the bytes before libxml2 parses them. Both this check and libxml2 read the bytes as
    /// UTF-8, whatever encoding the XML declaration names. No encoding can therefore hide a DOCTYPE
    /// from the check.
    /// - Throws: the reason why the document is refused.
    private static func check(_ bytes: [UInt8]) throws(UnreadableStoryboard) {
        guard bytes.count <= XMLLimits.fileSize else {
            throw UnreadableStoryboard(
                reason: "the file is larger than \(XMLLimits.fileSize >> 20) MiB")
        }
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw UnreadableStoryboard(reason: "the file is empty; expected Xcode's XML")
        }
        guard !bytes.contains(0) else {
            throw UnreadableStoryboard(
                reason: "binary, or text in UTF-16; save the file as UTF-8 in Xcode")
        }
        // The string functions of C need a NUL at the end.
        let reason = (bytes + [0]).withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap(XMLMarkup.mistake)
        }
        if let reason { throw UnreadableStoryboard(reason: reason) }
    }

    private init?(_ content: [UInt8]) {
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: content.count)
        content.withUnsafeBytes { UnsafeMutableRawBufferPointer(bytes).copyMemory(from: $0) }
        let options =
            XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            | XML_PARSE_NOCDATA.rawValue
        guard
            let reader = xmlReaderForMemory(
                bytes.baseAddress, Int32(bytes.count), nil, "UTF-8", Int32(options))
        else {
            bytes.deallocate()
            return nil
        }
        self.reader = reader
        self.bytes = bytes
    }

    deinit {
        xmlFreeTextReader(reader)
        bytes.deallocate()
    }

    private func readRoot() throws(UnreadableStoryboard) -> XMLNode {
        var root: XMLNode?
        var open: [XMLNode] = []
        var count = 0
        xmlResetLastError()
        var result = xmlTextReaderRead(reader)
        while result == 1 {
            switch UInt32(xmlTextReaderNodeType(reader)) {
            case XML_READER_TYPE_ELEMENT.rawValue:
                count += 1
                guard count <= XMLLimits.elements else {
                    throw UnreadableStoryboard(
                        reason: "more than \(XMLLimits.elements) elements; split the storyboard")
                }
                guard open.count < XMLLimits.depth else {
                    throw UnreadableStoryboard(
                        reason: "elements nest deeper than \(XMLLimits.depth) levels")
                }
                let isEmpty = xmlTextReaderIsEmptyElement(reader) == 1
                let node = element()
                if let parent = open.last { parent.children.append(node) } else { root = node }
                if !isEmpty { open.append(node) }
            case XML_READER_TYPE_END_ELEMENT.rawValue:
                open.removeLast()
            case XML_READER_TYPE_TEXT.rawValue:
                if let parent = open.last, parent.name == "string" {
                    parent.text += String(xml: xmlTextReaderConstValue(reader))
                }
            default: break
            }
            result = xmlTextReaderRead(reader)
        }
        guard result == 0, let root else { throw malformed() }
        return root
    }

    private func element() -> XMLNode {
        let name = String(xml: xmlTextReaderConstName(reader))
        var attributes: [String: String] = [:]
        while xmlTextReaderMoveToNextAttribute(reader) == 1 {
            attributes[String(xml: xmlTextReaderConstName(reader))] =
                String(xml: xmlTextReaderConstValue(reader))
        }
        xmlTextReaderMoveToElement(reader)
        return XMLNode(name: name, attributes: attributes)
    }

    /// Returns libxml2's last error, with its message and line. If libxml2 gives none, returns an
    /// error with a general message.
    private func malformed() -> UnreadableStoryboard {
        guard let error = xmlGetLastError(), let message = error.pointee.message else {
            return UnreadableStoryboard(reason: "not valid XML, or the end of the file is missing")
        }
        let text = String(cString: message).split(separator: "\n").first.map(String.init) ?? ""
        return UnreadableStoryboard(
            reason: "not valid XML: line \(error.pointee.line): \(text.prefix(200))")
    }
}

extension String {
    fileprivate init(xml text: UnsafePointer<xmlChar>?) {
        self = text.map { String(cString: $0) } ?? ""
    }
}

/// The reason why a file cannot be read, or is not a storyboard for iOS.
package struct UnreadableStoryboard: Error, Equatable, Sendable, CustomStringConvertible {
    package let reason: String
    /// Whether the file is a storyboard for macOS or watchOS.
    var isOfOtherPlatform = false

    package var description: String { reason }
}
