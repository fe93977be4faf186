"""Steps of a sequence, made from a seed. A step names its objects by numbers that are taken modulo how
many there are, so that a sequence stays sound when steps are dropped from it."""

import random

SCENES = ["userAuth", "signUp", "authors", "titles", "books", "cover", "extra", "register", "none"]
AUTHORS = ["jane-austen", "gustave-flaubert", "charles-dickens", "nobody"]
LINKS = ["/authors", "/titles", "/authors/jane-austen", "/authors/jane-austen/books/emma",
         "/authors/gustave-flaubert", "/authors/nobody", "/nowhere", "/%zz"]
SIZES = [0, 1, 20, 300, 1024, 1025, 60_000]
COUNTS = [0, 1, 3, 20, 21, 5000]
# How often each step comes. The weights of a profile take their places.
WEIGHTS = {
    "open": 6, "sign-up": 6, "log-in": 3, "log-out": 4, "delete": 1, "get": 10, "events": 4,
    "screen": 3, "push": 22, "pop": 8, "pop-to": 6, "pop-to-root": 3, "back": 4, "set": 6, "root": 4,
    "select": 12, "segment": 8, "link": 8, "patch": 10, "batch": 6, "again": 12, "reuse": 3,
    "twice": 2, "defects": 1, "restart": 4, "move": 0,
}
PROFILES = {
    # Restarts with the same storyboard and catalog.
    "steady": {},
    # Restarts with others, too.
    "moving": {"move": 8, "restart": 2, "get": 16},
    # In memory, where no restart is survived.
    "memory": {"restart": 0},
}


def make(seed, count=60):
    """Returns the profile's name and the steps."""
    generator = random.Random(seed)
    profile = list(PROFILES)[seed % len(PROFILES)]
    weights = WEIGHTS | PROFILES[profile]
    maker = Maker(generator)
    steps = [{"do": "open", "lifecycle": "forwarded"}, {"do": "sign-up", "s": 0}]
    for kind in generator.choices(list(weights), list(weights.values()), k=count):
        steps.append(maker.step(kind))
    return profile, steps


class Maker:
    def __init__(self, generator):
        self.random = generator

    def number(self, limit=1000):
        return self.random.randrange(limit)

    def is_once_in(self, count):
        return self.random.randrange(count) == 0

    def step(self, kind):
        step = {"do": kind, "s": self.number()}
        if kind in ("get", "events", "screen"):
            return step | {"n": self.number(40)}
        if kind in ("again", "reuse", "move"):
            return step | {"n": self.number(), "m": self.number()}
        if kind == "restart":
            return step | {"how": self.random.choice(["stop", "kill"])}
        if kind == "open":
            step |= {"lifecycle": self.random.choice(["forwarded", "native"]),
                     "credential": self.number() if self.is_once_in(2) else None}
        if kind in ("sign-up", "log-in"):
            step |= {"user": self.number(4), "wrong": self.is_once_in(6)}
        if kind == "defects":
            step |= {"n": self.number(6), "count": self.random.choice([1, 30, 3000, 20_000])}
        if self.is_once_in(3) or kind == "twice":
            step["key"] = True
        if kind != "open" and self.is_once_in(4):
            step["match"] = self.random.choice(["now", "now", "old", "none", "any"])
        if kind in ("push", "pop", "pop-to", "pop-to-root", "back", "set", "root", "select", "segment",
                    "link", "twice"):
            step["body"] = self.body("push" if kind == "twice" else kind)
        if kind == "patch":
            step |= {"vc": self.instance(), "body": self.changes()}
        if kind == "batch":
            kinds = ["push", "pop", "pop-to", "pop-to-root", "back", "set", "root", "select", "segment",
                     "link"]
            chosen = self.random.choices(kinds, k=self.number(6))
            step["operations"] = [{"do": kind, "body": self.body(kind)} for kind in chosen]
        return step

    def body(self, kind):
        """The body of an operation, with numbers in the places of ids."""
        body = {}
        if kind in ("push", "root"):
            body = self.target()
        elif kind == "pop-to":
            body = self.instance() if self.is_once_in(2) else {"scene": self.random.choice(SCENES)}
        elif kind == "set":
            body = {"viewControllers": [self.target() for _ in range(self.number(5))]}
        elif kind == "select":
            body = {"row": self.random.choice([0, 1, 2, 14, 15, 64, 65])}
        elif kind == "segment":
            body = {"index": self.random.choice([0, 0, 1, 1, 2])}
        elif kind == "link":
            body = {"path": self.random.choice(LINKS)}
        if self.is_once_in(4):
            body["animated"] = self.is_once_in(2)
        return body

    def target(self):
        if self.is_once_in(4):
            return self.instance()
        scene = self.random.choice(SCENES)
        target = {"scene": scene}
        if scene in ("books", "cover") and not self.is_once_in(10):
            target["parameters"] = {"author": self.random.choice(AUTHORS)}
            if scene == "cover":
                target["parameters"] = {"author": "jane-austen", "book": "emma"}
        return target

    def instance(self):
        return {"instance": self.number()}

    def changes(self):
        """Texts and items are given by their sizes."""
        body, item = {}, {}
        for name in ("title", "bottomBarText", "navigationItem.title", "navigationItem.backButtonTitle"):
            if self.is_once_in(3):
                target, key = (item, name.split(".")[1]) if "." in name else (body, name)
                target[key] = None if self.is_once_in(5) else self.random.choice(SIZES)
        for name in ("leftItems", "rightItems"):
            if self.is_once_in(4):
                item[name] = self.random.choice(COUNTS)
        for name in ("hidesBackButton", "leftItemsSupplementBackButton"):
            if self.is_once_in(5):
                item[name] = self.is_once_in(2)
        if item:
            body["navigationItem"] = item
        if self.is_once_in(4):
            body["toolbarItems"] = self.random.choice(COUNTS)
        if self.is_once_in(4):
            body["parameters"] = self.random.choice(
                [{}, {"author": self.random.choice(AUTHORS)}, {"author": "jane-austen", "book": "emma"}])
        if self.is_once_in(5):
            body["hidesBottomBarWhenPushed"] = self.is_once_in(2)
        return body
