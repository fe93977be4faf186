import Testing

@testable import NavigationRules

/// Tests of the texts that explain refusals to people.
@Suite struct ErrorDetailTests {
    private static let longTitle = NavigationError.beyondLimit(
        LimitDefect(
            member: ["navigationItem", "title"], reason: .textTooLong(1025, maximum: 1024)))

    @Test(
        "A refusal says which part it is about, and how to mend it",
        arguments: [
            (
                NavigationError.tooManyViewControllers(maximum: 4000),
                "all stacks of a session together hold 4000 view controllers at most: pop some"
            ),
            (longTitle, "navigationItem: title: expected at most 1024 characters, found 1025"),
            (
                .inBatch(1, "patch", longTitle),
                "operation 1, patch: navigationItem: title: "
                    + "expected at most 1024 characters, found 1025"
            ),
            (
                .malformedLink(
                    .path("/a"), .valueTooLong(parameter: "n", 1025, maximum: 1024)),
                "/a: expected at most 1024 characters in the parameter n, found 1025"
            ),
            (
                .notDismissible(isRootLayer: true),
                "there is nothing to swipe down: the top layer is the root layer, which nothing "
                    + "presented"
            ),
            (
                .flagNotFound("loggedIn", nearest: []),
                "the flag loggedIn follows the log-in and the log-out, and cannot be set"
            ),
            (
                .notAUserAction("pop"),
                "the session is strict, and a user cannot do pop here: use a tap that GET screen "
                    + "lists, or back, swipe-back, swipe-down, open, log-in or log-out"
            ),
        ])
    func details(_ error: NavigationError, _ detail: String) {
        #expect(error.detail == detail)
    }
}
