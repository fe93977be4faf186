extension RouteDescription {
    /// The descriptions of all routes, in the order of `openapi.yaml`.
    package static let all =
        SessionRoutes.descriptions + HistoryRoutes.descriptions + ChangeRoutes.descriptions
        + NavigationRoutes.descriptions + AccountRoutes.descriptions + DeviceRoutes.descriptions
        + StoryboardRoutes.descriptions + CatalogRoutes.descriptions + ImageRoutes.descriptions
        + ServiceRoutes.descriptions + InspectorRoutes.descriptions
}
