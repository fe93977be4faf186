import HTTPCore
import Library

/// `/v1/images`: the pictures of a storyboard's own data. Only files that the data names.
struct ImageRoutes: Sendable {
    /// By file name.
    let images: [String: Cover]

    var routes: [Route] {
        [Route(.get, "/v1/images/{image}", produces: [], immediate: image)]
    }

    private func image(
        _ request: Request, _ parameters: PathParameters
    ) throws(Problem) -> Response {
        _ = try Query(request)
        let notFound = Problem(.imageNotFound, "there is no image \(parameters[0])")
        guard let image = images[String(parameters[0])] else { throw notFound }
        return try FileResponse(
            path: image.path, mediaType: image.mediaType.rawValue, orElse: notFound
        ).response(to: request)
    }
}
