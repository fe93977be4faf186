import HTTPCore
import Library
import Sessions

/// The service, seen from outside: every route, and the answer to what no route takes.
public struct API: RequestHandler {
    let router: Router

    public init(_ data: AppData, directory: SessionDirectory, store: any SessionStore) {
        let app = data.app
        let access = SessionAccess(directory: directory)
        router = Router(
            ServiceRoutes(store: store).routes
                + CatalogRoutes(catalog: data.catalog).routes
                + ImageRoutes(images: data.images).routes
                + SessionRoutes(app: app, directory: directory, access: access).routes
                + NavigationRoutes(app: app, access: access).routes)
    }

    public func respond(to request: Request) async -> Response {
        do {
            return try await router.respond(to: request)
        } catch {
            return Response(error)
        }
    }

    public func refuse(_ problem: Problem) -> Response {
        Response(problem)
    }
}
