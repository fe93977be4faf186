import HTTPCore
import NavigationRules

extension SessionRoutes {
    static let navigationDescriptions: [RouteDescription] =
        (Operation.all + [Batch.self]).map { operation($0) } + [
            RouteDescription(
                .patch, "/v1/sessions/{session}/view-controllers/{viewController}", .navigation,
                "Changes one view controller",
                """
                The view controller is on a stack, or is the stored root of a segment. Absent \
                members do not change; `null` removes a title (RFC 7396). The title, the rows, the \
                image and the bottom bar change with the parameters, except for texts that a client \
                has set. The change has no lifecycle events.
                """,
                body: .init(schema: "UpdateViewController", isOptional: true, isMergePatch: true),
                answer: .change(), refusals: ofEach(Patch.refusals)),
            RouteDescription(
                .post, path(of: LogIn.signUpName), .auth, "Creates an account and logs in",
                "The service builds a new app root and opens a pending link.",
                body: .init(schema: "SignUp"), answer: .change("LogInChange"),
                problems: [.signUpClosed, .usernameTaken, .weakPassword, .tooManyRequests],
                refusals: ofEach(LogIn.refusals)),
            RouteDescription(
                .post, path(of: LogIn.name), .auth, "Logs in",
                """
                The service builds a new app root and opens a pending link. An account has at most \
                100 valid credentials; the next log-in revokes the credential that was unused for the \
                longest time.
                """,
                body: .init(schema: "LogIn"), answer: .change("LogInChange"),
                problems: [.wrongPassword, .tooManyRequests], refusals: ofEach(LogIn.refusals)),
            RouteDescription(
                .post, path(of: LogOut.name), .auth, "Logs out",
                """
                The service builds a new login root and revokes the credential of this log-in. Other \
                sessions that were opened with this credential return to the login root at their next \
                request. If nobody is logged in, nothing happens.
                """,
                body: .init(schema: "Nothing", isOptional: true), answer: .change(),
                refusals: ofEach(LogOut.refusals)),
        ]

    /// Describes the route of an operation.
    static func operation(_ type: any NavigationOperation.Type) -> RouteDescription {
        let needsBody =
            type.memberDescriptions.contains(where: \.isRequired) || !type.exactlyOne.isEmpty
        return RouteDescription(
            .post, path(of: type.name), .navigation, type.summary, type.details,
            body: .init(
                schema: RouteDescription.schemaName(of: type.name), isOptional: !needsBody),
            answer: .change(), refusals: ofEach(type.refusals))
    }

    /// Returns the refusals of an operation with those that each operation can have.
    private static func ofEach(_ refusals: [NavigationError.Code]) -> [NavigationError.Code] {
        [.notAUserAction, .sessionTooLarge] + refusals
    }
}

extension RouteDescription {
    /// Returns the name of the schema of the request for an operation: `PopTo` for `pop-to`.
    package static func schemaName(of operation: String) -> String {
        operation.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
