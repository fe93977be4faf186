import HTTPCore
import Library

/// `/v1/images`: the pictures of a storyboard's own data. Only files that the data names.
struct ImageRoutes: Sendable {
    /// By file name.
    let images: [String: Cover]

    var routes: [Route] {
        [Route(.get, "/v1/images/{image}", handler: image)]
    }

    private func image(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        guard let image = images[parameters[0]], let file = OpenFile(path: image.path) else {
            throw Problem(.imageNotFound, "there is no image \(parameters[0])")
        }
        return try FileResponse(file, mediaType: image.mediaType.rawValue).response(to: request)
    }
}
