"""What is known of a session from the answers so far, and the rules that each new answer must obey."""

import json

TITLE_LIMIT = 1024
ITEM_LIMIT = 20


class Violation(Exception):
    """A rule is broken. The same rule has the same name each time."""

    def __init__(self, rule, text=""):
        super().__init__(f"{rule}: {text}")
        self.rule, self.text = rule, text


def require(condition, rule, text=""):
    if not condition:
        raise Violation(rule, str(text)[:300])


def canonical(value):
    return json.dumps(value, sort_keys=True)


def number_of(id):
    return int(id.removeprefix("vc"))


class Session:
    def __init__(self, id, token, content):
        self.id, self.token, self.content = id, token, content
        self.credential = None
        self.has_ended = False
        # Why the next answer may show a session that has fallen back to a fresh root.
        self.may_fall_back = set()
        # Whether what a session shows may be another without a change: the app is another.
        self.may_look_different = False
        self.events = []
        self.shown = None
        self.loaded = set()
        # The scene of each view controller that was ever seen.
        self.scenes = {}
        # By path: what each tag stood for.
        self.tags = {}
        self.tag = None
        require(content["revision"] == 1, "a new session has revision 1", content["revision"])

    @property
    def path(self):
        return f"/v1/sessions/{self.id}"

    @property
    def revision(self):
        return self.content["revision"]

    @property
    def stack(self):
        return [entry["id"] for entry in self.content["viewControllers"]]

    # MARK: Tags

    def note_tag(self, path, tag, content):
        """The same strong tag must stand for the same content, whatever happened in between."""
        known = self.tags.setdefault(path, {})
        text = canonical(content)
        require(known.setdefault(tag, text) == text, "one tag stands for one content",
                f"{tag} of {path} was {known[tag][:400]} and is {text[:400]}")
        if path == self.path:
            self.tag = tag

    def stale_tags(self):
        """Tags of contents that the session does not have now."""
        now = canonical(self.content)
        return [tag for tag, content in self.tags.get(self.path, {}).items() if content != now]

    # MARK: Contents

    def note_content(self, content, tag):
        require(content["id"] == self.id, "a session's own content is shown", content["id"])
        self.note_view_controllers(content["viewControllers"])
        self.content = content
        self.note_tag(self.path, tag, content)

    def note_view_controllers(self, entries):
        for entry in entries:
            id, scene = entry["id"], entry["scene"]
            require(self.scenes.setdefault(id, scene) == scene, "an id is never given again",
                    f"{id} was of {self.scenes[id]} and is of {scene}")

    def note_new_root(self, new):
        """The window has another root: all ids of before are dead."""
        newest = max(map(number_of, self.scenes))
        for entry in new["viewControllers"]:
            require(number_of(entry["id"]) > newest, "an id is never given again",
                    f"{entry['id']} after vc{newest}, above a root that is new")

    def note_read(self, content, tag):
        """An answer to GET: nothing has changed but what may have."""
        before, now = self.content, content
        if now["revision"] != before["revision"]:
            require(self.may_fall_back, "a revision grows with a change alone",
                    f"{before['revision']} became {now['revision']} without one")
            require(0 < now["revision"] - before["revision"] <= len(self.may_fall_back),
                    "a revision grows by one",
                    f"{before['revision']} became {now['revision']}")
            self.note_new_root(now)
        elif not (self.may_look_different or self.may_fall_back):
            require(canonical(before) == canonical(now), "what was answered is kept",
                    f"{canonical(before)[:500]} became {canonical(now)[:500]}")
        self.may_fall_back, self.may_look_different = set(), False
        self.note_content(content, tag)

    def note_change(self, outcome, tag):
        """An answer to an operation, made once and not replayed."""
        content, revision = outcome["session"], self.revision
        if outcome["changed"]:
            require(content["revision"] == revision + 1, "a revision grows by one",
                    f"{revision} became {content['revision']}")
        else:
            require(content["revision"] == revision, "a revision grows with a change alone",
                    f"{revision} became {content['revision']}")
            require(not outcome["events"] and not outcome["popped"],
                    "nothing happens without a change", outcome)
            require(canonical(content) == canonical(self.content),
                    "nothing happens without a change", canonical(content))
        if outcome["transition"] == "root":
            self.note_new_root(content)
        self.note_events(outcome["events"], content["revision"])
        self.note_view_controllers(
            sorted(content["viewControllers"] + outcome["popped"],
                   key=lambda entry: number_of(entry["id"])))
        self.note_content(content, tag)

    # MARK: Events

    def note_events(self, events, revision=None):
        """Events that come next. All of one change have its revision."""
        for event in events:
            require(event["seq"] == len(self.events) + 1, "the log has no gap",
                    f"{event['seq']} after {len(self.events)}")
            require(revision in (None, event["revision"]), "events have their change's revision",
                    f"{event} in {revision}")
            id, kind = event["viewController"], event["event"]
            require(self.scenes.get(id, event["scene"]) == event["scene"],
                    "an id is never given again",
                    f"{id} is of {self.scenes.get(id)}, in an event of {event['scene']}")
            if kind == "viewDidLoad":
                require(id not in self.loaded, "a view is loaded once", event)
                self.loaded.add(id)
            elif kind == "viewWillDisappear":
                require(id == self.shown, "what disappears had appeared", f"{event}, not {self.shown}")
            elif kind == "viewDidAppear":
                self.shown = id
            self.events.append(event)

    def note_log(self, log):
        """The whole log as it is read: it starts with all the events that were answered."""
        known = len(self.events)
        require(canonical(log[:known]) == canonical(self.events), "the log has what was answered",
                f"{len(log)} events are logged, {known} are known")
        self.note_events(log[known:])
