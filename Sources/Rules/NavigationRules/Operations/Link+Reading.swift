import JSON

extension Link {
    /// Reads a link from a member of a body. A text that no app can open is a recorded refusal.
    /// - Parameter make: makes a link from the text.
    /// - Returns: nil if the member is absent or not a string.
    public static func read(
        _ reader: inout BodyReader, _ name: String, _ make: (String) -> Link
    ) -> Link? {
        reader.optionalString(name).map { text in
            let link = make(text)
            do throws(LinkError) { try link.check() } catch {
                reader.refuse(
                    NavigationError.Code.malformedLink.rawValue, "\(text): \(error)", member: name)
            }
            return link
        }
    }
}
