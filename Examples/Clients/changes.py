"""Follows the changes of a Waypost session (docs/live.md). Needs Python 3.9 and no package."""

import http.client
import json
import random
import time
import urllib.error
import urllib.request


def changes(url, token, cursor=None, silence=45, longest=60):
    """Yields the messages of a session as (type, id, data) until the message `end`, over all lost connections.

    `url` is BASE/v1/sessions/ID/changes. `cursor` is the id of the last message that the app has handled, from an
    earlier run. A connection counts as lost after `silence` seconds without a byte: three heartbeats.
    Raises urllib.error.HTTPError if the service refuses the request for good, as with 401 and 404.
    """
    retry, failures, revision = 2 + random.random(), 0, None
    while True:
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        if cursor:
            headers["Last-Event-ID"] = cursor
        wait = ""
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=silence) as stream:
                message = {}
                for line in stream:
                    failures = 0
                    if not line.endswith(b"\n"):
                        break  # The connection was lost within a line.
                    # A comment is a field without a name.
                    name, _, value = line.decode().rstrip("\n").partition(":")
                    message[name] = value.removeprefix(" ")
                    if name == "retry":
                        retry = int(value) / 1000
                    if line != b"\n":
                        continue
                    if "data" in message:
                        kind, data = message["event"], json.loads(message["data"])
                        # A change that does not continue the last message: begin again with a snapshot.
                        if kind == "change" and revision not in (None, data["from"]):
                            cursor, revision = None, None
                            break
                        cursor, revision = message.get("id", cursor), data.get("revision")
                        yield kind, message.get("id"), data
                        if kind == "end":
                            return
                    message = {}
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 429):
                raise
            wait = error.headers.get("Retry-After", "")
        except (OSError, http.client.HTTPException):
            pass  # A lost connection: the next one continues at the cursor.
        time.sleep(int(wait) if wait.isdigit() else min(retry * 2 ** min(failures, 10), longest))
        failures += 1
