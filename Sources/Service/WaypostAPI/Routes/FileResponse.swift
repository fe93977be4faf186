import AppDefinition
import HTTPCore
import Synchronization

/// The response to a request for an image: the whole image, a byte range of it, or 304 if the client
/// already has the current version.
struct FileResponse {
    /// The body of a response with the whole image.
    private let whole: Response.Body
    private let mediaType: String
    private let headers: HeaderFields
    private let tag: EntityTag

    /// Opens the file of the image.
    /// - Throws: `notFound` if the file does not exist; `.busy` if a later attempt may succeed, for
    ///   example because too many files are open; `.internalError` for any other failure.
    init(_ image: Cover, orElse notFound: Problem) throws(Problem) {
        mediaType = image.mediaType.rawValue
        switch image.source {
        case .file(let path):
            guard let file = try Self.open(path) else { throw notFound }
            whole = .file(file, 0..<file.size)
            // New content changes the size or the modification time of the file.
            tag = EntityTag(
                String(file.modified, radix: 36) + "-" + String(file.size, radix: 36))
        case .embedded(let image):
            let bytes = image.bytes
            whole = .bytes(bytes)
            tag = EntityTag(hashing: bytes)
        }
        headers = [
            "Content-Type": mediaType, "ETag": tag.description, "Accept-Ranges": "bytes",
            "Cache-Control": CacheControl.data, "X-Content-Type-Options": "nosniff",
        ]
    }

    private static func open(_ path: String) throws(Problem) -> OpenFile? {
        do {
            return try OpenFile(path: path)
        } catch  where !error.isTemporary {
            throw .reporting(error)
        } catch {
            throw Problem(
                .busy, "the file cannot be opened now: try again", headers: ["Retry-After": "1"])
        }
    }

    /// Returns the response to a request for the file.
    /// - Throws: `.notAcceptable` if the client does not accept the media type;
    ///   `.rangeNotSatisfiable` if the requested range lies outside the file.
    func response(to request: Request) throws(Problem) -> Response {
        try request.checkAcceptance(of: [mediaType])
        if request.has(tag) {
            return Response(.notModified, headers: headers, body: whole)
        }
        switch range(of: request) {
        case .whole:
            return Response(.ok, headers: headers, body: whole)
        case .part(let range):
            var headers = headers
            headers.append(
                "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)"
            )
            return Response(.partialContent, headers: headers, body: whole.part(range))
        case .notSatisfiable:
            throw Problem(
                .rangeNotSatisfiable, "the file has \(whole.count) bytes",
                headers: ["Content-Range": "bytes */\(whole.count)"])
        }
    }

    /// Returns the byte range that the request asks for. The result is the whole file if the method
    /// is not GET or the condition of `If-Range` fails.
    private func range(of request: Request) -> ByteRange {
        guard request.method == .get,
            request.headers["If-Range"].map({ $0 == tag.description }) ?? true
        else { return .whole }
        return ByteRange(request.headers["Range"], size: whole.count)
    }
}

extension Response.Body {
    /// Returns a part of a body with a known size.
    fileprivate func part(_ range: Range<Int>) -> Response.Body {
        switch self {
        case .file(let file, _): .file(file, range)
        case .bytes(let bytes): .bytes(Array(bytes[range]))
        case .empty, .stream: self
        }
    }
}

/// The responses for the covers of a catalog. A cover in the executable is decoded, and its entity tag
/// made, at its first use: both take longer than the rest of a request. A file can change, so that it is
/// opened for each request.
final class CoverResponses: Sendable {
    /// The responses for the covers in the executable, by file name.
    private let embedded = Mutex<[String: FileResponse]>([:])

    /// - Throws: the errors of `FileResponse.init`.
    func response(for cover: Cover, orElse notFound: Problem) throws(Problem) -> FileResponse {
        guard case .embedded = cover.source else {
            return try FileResponse(cover, orElse: notFound)
        }
        if let made = embedded.withLock({ $0[cover.fileName] }) { return made }
        let response = try FileResponse(cover, orElse: notFound)
        embedded.withLock { $0[cover.fileName] = response }
        return response
    }
}

/// The route `/v1/images/{image}`. It serves only the images in the data that the member `data` of
/// the storyboard supplies.
struct ImageRoutes: Sendable {
    /// The images by file name.
    let images: [String: Cover]

    var routes: [Route] {
        [Route(.get, "/v1/images/{image}", produces: [], image)]
    }

    private func image(_ context: Context) throws(Problem) -> Answer {
        let notFound = Problem(.imageNotFound, "there is no image \(context.parameters[0])")
        guard let image = images[String(context.parameters[0])] else { throw notFound }
        return .ready(try FileResponse(image, orElse: notFound).response(to: context.request))
    }
}
