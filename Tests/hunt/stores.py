"""A store with a bit of everything, made through the API, and copies of it with damaged rows."""

import json
import re
import shutil
import sqlite3
from pathlib import Path

from service import PASSWORD, Client, Service

SCENES = [f"p{number}" for number in range(10)]
STORYBOARD = {
    "name": "Damaged", "loginScene": "login", "initialScene": "p0",
    "segments": [{"title": "One", "scene": "p0"}, {"title": "Two", "scene": "p1"}],
    "scenes": {
        "login": {"kind": "form", "title": "Log In", "access": "login"},
        **{name: {"kind": "blank", "title": name, "path": f"/{name}"} for name in SCENES},
        **{"l" + name: {"kind": "blank", "title": name, "access": "login"} for name in SCENES},
    },
}
SUFFIXES = ("", "-wal", "-shm", ".lock", ".socket")


class Owner:
    """A session, perhaps of a user who is logged in, and what the service says of it when all is well."""

    def __init__(self, number, session, token):
        self.number, self.session, self.token = number, session, token
        self.user = self.credential = None
        self.content = self.events = None
        # Requests with a key: the path, the body and the fields.
        self.keyed = []

    @property
    def path(self):
        return f"/v1/sessions/{self.session}"

    def __str__(self):
        return f"session {self.session}" + (f" of {self.user}" if self.user else "")


class Original:
    """The sound store."""

    def __init__(self, waypost, folder, users=20, strangers=60):
        self.folder = Path(folder)
        self.storyboard = self.folder / "storyboard.json"
        self.storyboard.write_text(json.dumps(STORYBOARD))
        self.path = self.folder / "original.sqlite"
        service = Service(waypost, self.path, *self.options)
        client = Client(service)
        self.owners = [self.make(client, number, number < users) for number in range(users + strangers)]
        for owner in self.owners:
            owner.content = client.call("GET", owner.path, None, owner.token).content
            owner.events = client.call("GET", owner.path + "/events", None, owner.token).content["items"]
        service.stop()
        self.loosen()

    @property
    def options(self):
        return ["--storyboard", str(self.storyboard)]

    def make(self, client, number, is_user):
        owner = Owner(number, *client.open_session())
        prefix = "l"
        if is_user:
            owner.user, prefix = f"user-{number}", ""
            answer = client.call("POST", owner.path + "/sign-up",
                                 {"username": owner.user, "password": PASSWORD}, owner.token)
            owner.credential = answer.content["credential"]
            client.call("POST", owner.path + "/select-segment", {"index": 1}, owner.token)
        # The digits of its number tell one session's screens from another's.
        for digit in f"{number:03}":
            body, fields = {"scene": prefix + SCENES[int(digit)]}, {"Idempotency-Key": f"{number}-key"}
            fields = {} if owner.keyed else fields
            client.call("POST", owner.path + "/push", body, owner.token, fields)
            if fields:
                owner.keyed.append((owner.path + "/push", body, fields))
        return owner

    # MARK: The schema

    def loosen(self):
        """Takes STRICT and NOT NULL away, so that rows can be damaged, and learns the tables."""
        database = sqlite3.connect(self.path, isolation_level=None)
        self.schema = dict(database.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"))
        self.columns = {table: list(database.execute(f"PRAGMA table_info({table})"))
                        for table in self.schema}
        self.rows = {table: [dict(zip((column[1] for column in self.columns[table]), row))
                             for row in database.execute(f"SELECT * FROM {table}")]
                     for table in self.schema}
        loose = {table: re.sub(r"\)\s*STRICT\s*,?", ") ", sql.replace("NOT NULL", "")).rstrip()
                 for table, sql in self.schema.items()}
        write_schema(database, loose)
        database.close()

    def copy(self, path):
        for suffix in SUFFIXES:
            Path(str(path) + suffix).unlink(missing_ok=True)
        shutil.copyfile(self.path, path)

    def key(self, table):
        return [column[1] for column in self.columns[table] if column[5]]

    def damaged(self, path, damages):
        """Writes a copy with damaged rows. Returns the damages that SQLite let in."""
        self.copy(path)
        database = sqlite3.connect(path, isolation_level=None)
        done = []
        database.execute("BEGIN")
        for damage in damages:
            # A table without a key has one row.
            places = " AND ".join(f'"{name}" IS ?' for name in self.key(damage.table)) or "1"
            keys = [damage.row[name] for name in self.key(damage.table)]
            try:
                database.execute(
                    f'UPDATE "{damage.table}" SET "{damage.column}" = ? WHERE {places}',
                    [damage.value, *keys])
                done.append(damage)
            except (sqlite3.IntegrityError, OverflowError):
                pass
        database.execute("COMMIT")
        write_schema(database, self.schema)
        database.close()
        return done


def write_schema(database, tables):
    database.execute("PRAGMA writable_schema = ON")
    for table, sql in tables.items():
        database.execute("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
                         (sql, table))
    version = database.execute("PRAGMA schema_version").fetchone()[0]
    database.execute(f"PRAGMA schema_version = {version + 1}")
    database.execute("PRAGMA writable_schema = OFF")
