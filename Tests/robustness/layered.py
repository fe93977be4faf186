"""A session with tabs and layers, which has to be the same after a kill, to the byte."""


class LayeredSession:
    def __init__(self, client):
        self.path, self.token = client.open_session()
        self.seen = None
        self.changes = 0

    def change(self, client, generator):
        """Changes the session at random, without a response lost: an acknowledged change is kept."""
        for _ in range(generator.randrange(1, 6)):
            operation, body = generator.choice([
                ("present", {"scene": "tabs", "presentationStyle": "fullScreen"}),
                ("present", {"scene": "nav"}), ("present", {"scene": "root", "isModalInPresentation": True}),
                ("select-tab", {"index": generator.randrange(3)}), ("dismiss", {}), ("swipe-down", {}),
                ("push", {"scene": "page", "parameters": {"n": str(self.changes)}}), ("pop", {}),
                ("show", {"scene": "page", "parameters": {"n": "shown"}})])
            status, answer = client.call("POST", f"{self.path}/{operation}", body, self.token)
            # A random operation may be one that the screen refuses.
            assert status in (200, 409), answer
            self.changes += status == 200 and answer["changed"]
        self.seen = self.read(client)

    def read(self, client):
        """The bytes of the session and of its layers."""
        seen = []
        for path in (self.path, f"{self.path}/layers"):
            status, answer = client.call("GET", path, token=self.token)
            assert status == 200, answer
            seen.append(client.content)
        return seen

    def check(self, client):
        assert self.read(client) == self.seen, "a session with layers is another after the kill"
