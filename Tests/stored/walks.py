"""Sequences of requests for the apps of the fixtures, made from a seed."""

AUTHORS = ["jane-austen", "gustave-flaubert", "charles-dickens"]
TITLES = [None, "", "Title", "Été \"🏖\"\\\n", "x" * 300]


class Walk:
    """Chooses the requests of one session. A request may be one that the session refuses."""

    def __init__(self, random, app):
        self.random, self.app = random, app

    def step(self, session):
        """Returns the method, the path below the session and the body of a request.
        - session: the present answer to a GET of the session."""
        if self.random.random() < 0.08:
            return self.patch(session)
        if self.random.random() < 0.06:
            operations = [self.operation(session) for _ in range(self.random.randint(1, 4))]
            return "POST", "batch", {"operations": [{name: body} for name, body in operations]}
        name, body = self.operation(session)
        if self.random.random() < 0.2:
            body = body | {"animated": self.random.random() < 0.5}
        return "POST", name, body

    def operation(self, session):
        operations = self.library if self.app == "library" else self.tabs
        return self.random.choice(operations(session))

    def target(self):
        author = self.random.choice(AUTHORS)
        return self.random.choice([
            {"scene": "authors"}, {"scene": "titles"},
            {"scene": "books", "parameters": {"author": author}},
            {"scene": "cover", "parameters": {"author": "jane-austen", "book": "emma"}}])

    def library(self, session):
        if session["auth"]["state"] == "loggedOut":
            return [("push", {"scene": "signUp"}), ("pop", {}), ("back", {}), ("open", {"path": "/titles"}),
                    ("tap", {"title": "Sign Up"}), ("perform-segue", {"identifier": "sign-up"})]
        number = self.random.randrange
        shown = self.random.choice(session["viewControllers"])["id"]
        author = self.random.choice(AUTHORS)
        return [
            ("push", self.target()), ("push", self.target()), ("push", self.target()), ("push", self.target()),
            ("show", self.target()), ("pop", {}), ("pop", {}), ("back", {}), ("pop-to", {"viewController": shown}),
            ("pop-to-root", {}), ("select-row", {"row": number(16)}), ("select-row", {"row": number(4)}),
            ("select-segment", {"index": number(2)}), ("open", {"path": f"/authors/{author}"}),
            ("open", {"path": "/authors/jane-austen/books/emma"}),
            ("set-view-controllers", {"viewControllers": [{"scene": "authors"}, *(
                self.target() for _ in range(number(4)))]}),
            ("set-view-controllers", {"viewControllers": [{"viewController": shown}, self.target()]}),
            ("set-root-view-controller", self.target()),
        ]

    def tabs(self, session):
        if session["auth"]["state"] == "loggedOut":
            return [("present", {"scene": "helpNavigation"}), ("perform-segue", {"identifier": "help"}),
                    ("dismiss", {}), ("open", {"path": "/home/3/edit"})]
        number = self.random.randrange
        item = {"scene": "item", "parameters": {"n": str(number(50))}}
        return [
            ("push", item), ("push", item), ("show", item), ("pop", {}), ("back", {}), ("pop-to-root", {}),
            ("present", {"scene": "homeNavigation"}), ("present", {"scene": "tabs", "presentationStyle": "fullScreen"}),
            ("present", {"scene": "edit", "parameters": {"n": "1"}, "presentationStyle": "overCurrentContext"}),
            ("present", {"scene": "photo", "isModalInPresentation": True}),
            ("dismiss", {}), ("dismiss", {}), ("swipe-down", {}),
            ("swipe-back", {}), ("swipe-back", {"completed": False}),
            ("select-tab", {"index": number(3)}), ("tap-tab", {"index": number(3)}),
            ("perform-segue", {"identifier": self.random.choice(["item", "new", "edit", "photo", "done", "home"])}),
            ("tap", {"title": "New"}), ("unwind", {"action": self.random.choice(["toHome", "toItem"])}),
            ("open", {"path": self.random.choice(["/home", "/home/4", "/home/5/edit", "/search", "/photo", "/albums"])}),
        ]

    def patch(self, session):
        shown = self.random.choice(session["viewControllers"])["id"]
        flag = self.random.random() < 0.5
        change = self.random.choice([
            {"title": self.random.choice(TITLES)},
            {"navigationItem": {"title": self.random.choice(TITLES), "hidesBackButton": flag}},
            {"navigationItem": {"leftItems": ["Edit"], "rightItems": ["Add", "Share"]}},
            {"navigationItem": {"backButtonTitle": "Back", "leftItemsSupplementBackButton": flag}},
            {"bottomBarText": self.random.choice(TITLES), "toolbarItems": ["One", "Two"]},
            {"hidesBottomBarWhenPushed": flag}, {"isModalInPresentation": flag},
            {"tabBarItem": {"title": self.random.choice(TITLES), "badge": "3"}},
        ])
        return "PATCH", f"view-controllers/{shown}", change
