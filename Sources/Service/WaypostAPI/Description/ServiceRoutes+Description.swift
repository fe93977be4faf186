extension ServiceRoutes {
    static let descriptions: [RouteDescription] = [
        RouteDescription(
            .get, "/livez", .service, "Whether the service runs", answer: .json("Liveness")),
        RouteDescription(
            .get, "/readyz", .service, "Whether the service can make changes",
            answer: .json("Readiness"), problems: [.notReady]),
        RouteDescription(
            .get, "/problems/{code}", .service, "The meaning of a problem, and how to correct it",
            answer: .content("text/markdown"), caching: .shared, problems: [.notFound]),
        RouteDescription(
            .get, "/openapi.yaml", .service, "This description",
            answer: .content("application/yaml"), caching: .shared),
        RouteDescription(
            .get, MetricsRoute.path, .service, "The metrics of the service, for Prometheus",
            "The format is Prometheus' exposition format. `docs/operations.md` explains every metric.",
            answer: .content("text/plain")),
    ]
}

extension InspectorRoutes {
    static let descriptions: [RouteDescription] = [
        RouteDescription(
            .get, "/", .service, "A redirect to the inspector",
            answer: .init(status: .temporaryRedirect, mediaTypes: [], headers: ["Inspector"])),
        RouteDescription(
            .get, "/inspector", .service, "The inspector",
            """
            A web page that shows and controls a session. With `--inspector off`, the service has \
            neither this page, nor its files, nor the redirect of `/`.
            """,
            answer: .content("text/html", headers: ["ContentSecurityPolicy"]), caching: .page),
        RouteDescription(
            .get, "/inspector/{file}", .service, "A file of the inspector",
            answer: .content("text/javascript", "text/css", "image/svg+xml"), caching: .page,
            problems: [.notFound]),
        RouteDescription(
            .get, "/inspector/ways/{scene}", .service,
            "The shortest way of a user from the launch of the app to a scene",
            """
            The answer is that of `waypost path launch SCENE`. The first request makes the service \
            search the ways to all scenes, and waits for the end of the search. If the app is so \
            large that the search stops before it has reached a scene, the way to it is unknown.
            """,
            answer: .json("Way"), caching: .shared, refusals: [.sceneNotFound]),
    ]
}
