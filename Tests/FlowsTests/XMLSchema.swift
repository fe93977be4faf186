import CXML2

/// A schema of XML documents (W3C XML Schema 1.0), by libxml2.
final class XMLSchema {
    private struct InvalidSchema: Error {}

    private let schema: xmlSchemaPtr

    init(_ text: String) throws {
        let bytes = Array(text.utf8CString)
        let parser = xmlSchemaNewMemParserCtxt(bytes, Int32(bytes.count - 1))
        defer { xmlSchemaFreeParserCtxt(parser) }
        guard let schema = xmlSchemaParse(parser) else { throw InvalidSchema() }
        self.schema = schema
    }

    deinit { xmlSchemaFree(schema) }

    /// Returns what is wrong with a document; empty for a valid one.
    func defects(in text: String) -> [String] {
        final class Messages {
            var texts: [String] = []
        }

        let bytes = Array(text.utf8CString)
        guard
            let document = xmlReadMemory(
                bytes, Int32(bytes.count - 1), nil, nil, Int32(XML_PARSE_NONET.rawValue))
        else { return ["not well-formed"] }
        defer { xmlFreeDoc(document) }
        let validation = xmlSchemaNewValidCtxt(schema)
        defer { xmlSchemaFreeValidCtxt(validation) }
        let messages = Messages()
        xmlSchemaSetValidStructuredErrors(
            validation,
            { context, error in
                guard let context, let message = error?.pointee.message else { return }
                Unmanaged<Messages>.fromOpaque(context).takeUnretainedValue().texts.append(
                    String(cString: message))
            }, Unmanaged.passUnretained(messages).toOpaque())
        let result = withExtendedLifetime(messages) { xmlSchemaValidateDoc(validation, document) }
        return result == 0 || !messages.texts.isEmpty ? messages.texts : ["error \(result)"]
    }
}
