"""What can be wrong with a value of a row, made from the schema and from the sound values."""

import json
import random
import re

INTEGERS = [None, -1, 0, 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63 - 2, -(2**63), 1e300, "text", b"\xff"]
TEXTS = [None, "", "x", "a b", "x" * 100_000, "a\0b", 7, b"\xff\xfe"]
BLOBS = [None, b"", b"x", b"\0" * 16, b"\0" * 32, b"\xff" * 33, b"[" * 20_000, b"{}", b"[]", b"null",
         7, "text"]
PIECES = [None, True, -1, 2**63 - 1, -(2**63), 2**62, 2**53 + 1, 1.5, "", "x", [], [1], {}]


class Damage:
    """
    - row: as it was, by column.
    - owner: whose row it is; None if nobody can tell.
    """

    def __init__(self, table, column, row, value, owner):
        self.table, self.column, self.row, self.value = table, column, row, value
        self.owner = owner

    @property
    def name(self):
        shown = repr(self.value)
        return f"{self.table}.{self.column} = " + (shown if len(shown) < 90 else shown[:87] + "...")


def mutations(value, depth=0):
    """JSON values that differ from a sound one in one place."""
    for piece in PIECES:
        if piece != value or isinstance(piece, bool) != isinstance(value, bool):
            yield piece
    if depth == 4:
        return
    if isinstance(value, dict):
        for name in value:
            yield {other: member for other, member in value.items() if other != name}
            for mutation in mutations(value[name], depth + 1):
                yield value | {name: mutation}
    elif isinstance(value, list):
        yield value * 2
        for index in sorted({0, len(value) - 1} & set(range(len(value)))):
            for mutation in mutations(value[index], depth + 1):
                yield value[:index] + [mutation] + value[index + 1:]


def values(kind, sound, others):
    """
    - kind: the type of the column.
    - others: values of other rows in this column.
    """
    if kind == "INTEGER":
        yield from INTEGERS
        if isinstance(sound, int):
            yield from (sound + 1, sound - 1)
        # Such as the row before, which is then another session's.
        yield from others
    elif kind == "TEXT":
        yield from TEXTS
        if isinstance(sound, str):
            # Such as how much memory a hash of a password takes.
            for run in list(re.finditer("[0-9]+", sound))[:4]:
                yield f"{sound[:run.start()]}{2**32 - 1}{sound[run.end():]}"
    else:
        yield from BLOBS
        if isinstance(sound, bytes):
            yield from (sound[:-1], sound + b"\0")
            # A log has a record on each line; other values are one line.
            lines = sound.splitlines(keepends=True)
            try:
                records = [json.loads(line) for line in lines]
            except ValueError:
                return
            for index, record in enumerate(records):
                before, after = b"".join(lines[:index]), b"".join(lines[index + 1:])
                yield before + after
                yield before + lines[index] * 2 + after
                for mutation in mutations(record):
                    yield before + json.dumps(mutation).encode() + b"\n" + after


class Plan:
    """Damages in groups, each with at most one for each owner, so that one look finds many."""

    def __init__(self, original, seed):
        self.random = random.Random(seed)
        self.original = original
        self.by_session = {bytes.fromhex(owner.session): owner for owner in original.owners}
        self.by_user = {owner.user: owner for owner in original.owners if owner.user}

    def owner(self, row):
        for value in row.values():
            if isinstance(value, bytes) and value in self.by_session:
                return self.by_session[value]
            if isinstance(value, str) and value in self.by_user:
                return self.by_user[value]
        return None

    def damages(self, table):
        """All damages of a table, each at a row of its own as long as there are enough."""
        rows = list(self.original.rows[table])
        self.random.shuffle(rows)
        number = 0
        for _, column, kind, *_ in self.original.columns[table]:
            others = [row[column] for row in rows[-2:] if row[column] is not None]
            choices = [list(values(kind, row[column], others)) for row in rows]
            for index in range(max(len(choice) for choice in choices[:2])):
                row, choice = rows[number % len(rows)], choices[number % len(rows)]
                number += 1
                yield Damage(table, column, row, choice[index % len(choice)], self.owner(row))

    def groups(self):
        """Groups of damages of one table, those of all tables in turn."""
        tables = {}
        for table in self.original.schema:
            if not self.original.rows[table]:
                continue
            damages = list(self.damages(table))
            # NULL first, and then in any order.
            self.random.shuffle(damages)
            damages.sort(key=lambda damage: damage.value is not None)
            tables[table] = grouped(damages)
        while any(tables.values()):
            for groups in tables.values():
                if groups:
                    yield groups.pop(0)


def grouped(damages):
    groups = []
    rest = damages
    while rest:
        group, later, owners = [], [], set()
        for damage in rest:
            # Of rows whose owner is not known, each has a place of its own in any case.
            name = id(damage.owner) if damage.owner else id(damage.row)
            (later if name in owners or len(group) == 60 else group).append(damage)
            if group and group[-1] is damage:
                owners.add(name)
        groups.append(group)
        rest = later
    return groups
