import HTTPCore
import JSON
import NavigationRules
import WaypostCore

extension Request {
    /// The maximum nesting of arrays and objects in a body.
    private static let maximumDepth = 32

    /// Parses the body as a JSON object. An empty body counts as an empty object.
    /// - Throws: `.unsupportedMediaType` if `Content-Type` does not declare JSON in UTF-8;
    ///   `.malformedJSON` if the body is not well-formed JSON; `.invalidBody` if it is JSON, but not
    ///   an object.
    func jsonObject() throws(Problem) -> JSONObject {
        guard !body.isEmpty else { return JSONObject() }
        try checkMediaType()
        let value: JSONValue
        do {
            value = try JSONValue(parsingBody: body[...], maximumDepth: Self.maximumDepth)
        } catch {
            throw Problem(.malformedJSON, error.description)
        }
        guard case .object(let object) = value else {
            let detail = "expected a JSON object, found \(value.kind)"
            throw Problem(.invalidBody, [Problem.Member(pointer: "", detail: detail)])
        }
        return object
    }

    /// Checks that `Content-Type` declares the body as JSON in UTF-8, and that the body has no content
    /// coding. A missing `charset` parameter counts as UTF-8. A PATCH request may also have the type
    /// `application/merge-patch+json`.
    /// - Throws: `.unsupportedMediaType` if the field is absent or declares another type or
    ///   charset.
    func checkMediaType() throws(Problem) {
        guard headers["Content-Encoding"] == nil else {
            throw Problem(
                .unsupportedMediaType, "send the body without Content-Encoding",
                headers: ["Accept-Encoding": "identity"])
        }
        guard headers.count(of: "Content-Type") <= 1 else {
            throw Problem(
                .malformedRequest, "there are several Content-Type headers",
                headers: ["Connection": "close"])
        }
        // Nearly all clients send exactly this value.
        if headers.has("Content-Type", "application/json") { return }
        let type = headers["Content-Type"].map(MediaType.init)
        // The body of a PATCH is a merge patch (RFC 7396) under either media type.
        let names =
            ["application/json"] + (method == .patch ? ["application/merge-patch+json"] : [])
        guard names.contains(type?.essence ?? ""), ["utf-8", nil].contains(type?.charset) else {
            throw Problem(
                .unsupportedMediaType,
                "send the body as JSON in UTF-8, with Content-Type: "
                    + names.joined(separator: " or "),
                headers: [
                    method == .patch ? "Accept-Patch" : "Accept": names.joined(separator: ", ")
                ])
        }
    }

    /// Decodes the body with `decode`, and returns the result.
    /// - Throws: `.unsupportedMediaType` or `.malformedJSON` if the body is not JSON;
    ///   `.invalidBody` if it is not an object, or if members are missing, ill-typed or unknown;
    ///   otherwise the problem that `decode` recorded, if any.
    func read<Value>(
        _ decode: (inout BodyReader) -> Value
    ) throws(Problem) -> Value {
        var reader = BodyReader(try jsonObject())
        let value = decode(&reader)
        try reader.finishOrThrowProblem()
        return value
    }
}

extension BodyReader {
    /// Ends the reading of the body.
    /// - Throws: `.invalidBody` if members are missing, ill-typed or unknown; otherwise the recorded
    ///   refusal, if any.
    mutating func finishOrThrowProblem() throws(Problem) {
        do throws(BodyError) { try finish() } catch { throw Problem(error) }
    }
}

extension Problem {
    convenience init(_ error: BodyError) {
        switch error {
        case .invalid(let defects): self.init(.invalidBody, defects)
        case .refused(let code, let detail, let pointer):
            self.init(
                NavigationError.Code(rawValue: code)?.kind ?? .invalidBody, detail,
                members: pointer.map { [Member(pointer: $0, detail: detail)] } ?? [])
        }
    }
}
