extension RouteDescription {
    /// The descriptions of all routes, in the order of `openapi.yaml`.
    package static let all =
        SessionRoutes.descriptions + SessionRoutes.historyDescriptions
        + SessionRoutes.changeDescriptions + SessionRoutes.navigationDescriptions
        + AccountRoutes.descriptions + AccountRoutes.deviceDescriptions
        + StoryboardRoutes.descriptions + CatalogRoutes.descriptions + ImageRoutes.descriptions
        + ServiceRoutes.descriptions + InspectorRoutes.descriptions
}
