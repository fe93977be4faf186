"""Files of apps, flows and traces with small changes: each command ends with a status of its own, and says why.

A change keeps the file well-formed: members go, move, get other names or values that stand elsewhere. So it gets past
the readers of bytes, which `make fuzz` tries, into the code that relies on what a former check has found.
"""

import collections
import copy
import json
import plistlib
import random
import shutil
import subprocess
import time
from pathlib import Path

import yaml

PART = "files"
ROOT = Path(__file__).parents[2]
FOLDERS = ["Examples", "Tests/ConformanceTests/Storyboards", "Tests/ConformanceTests/Facts",
           "Tests/waypostTests/Golden/Files", "Sources/Tools/AppLoading/Resources"]
COMMANDS = [["check"], ["explore", "--json"], ["diagram"], ["links"]]
# Success, findings, an error of the caller, and an exploration that could not decide everything.
STATUSES = (0, 1, 2, 3)
# Seconds. A command on one of these apps takes less than a few.
PATIENCE = 60
# An exploration of these takes longer in a debug build.
LARGE = {"lab-guests.json", "lab-guests-less.json"}
RARE = [None, True, False, 0, -1, 2**31, 2**53, 2**63, 1.5, "", "/", "{}", "a/../b", "é", "x" * 300, [], {}, [[]],
        [None], {"": ""}]


def read(path):
    """Returns the value of a file; None for a file of another kind."""
    try:
        if path.suffix == ".plist":
            return plistlib.loads(path.read_bytes())
        if path.suffix == ".json":
            return json.loads(path.read_text())
        if path.suffix == ".yaml":
            return list(yaml.safe_load_all(path.read_text()))
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in path.read_text().splitlines()]
    except (ValueError, yaml.YAMLError):
        pass
    return None


def write(path, value):
    """Returns false if files of this kind cannot have the value."""
    try:
        if path.suffix == ".plist":
            path.write_bytes(plistlib.dumps(value))
        elif path.suffix == ".json":
            path.write_text(json.dumps(value))
        else:
            # JSON is YAML, too.
            separator = "---\n" if path.suffix == ".yaml" else ""
            path.write_text("".join(f"{separator}{json.dumps(part)}\n" for part in value))
    except (TypeError, OverflowError, AttributeError):
        return False
    return True


def places(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def get(value, path):
    for key in path:
        value = value[key]
    return value


class Changer:
    """Makes small changes of values, from the names and values of all of them."""

    def __init__(self, values, seed):
        self.random = random.Random(seed)
        found = [(path, get(value, path)) for value in values for path in places(value)]
        self.values = [value for _, value in found if len(str(value)) < 400]
        # The values that a member of this name has somewhere.
        self.named = collections.defaultdict(list)
        for path, value in found:
            if path and isinstance(path[-1], str) and len(str(value)) < 400:
                self.named[path[-1]].append(value)
        self.names = sorted(self.named)

    def changed(self, value):
        value = copy.deepcopy(value)
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            inner = [path for path in places(value) if path]
            if inner:
                self.change(value, self.random.choice(inner), self.random.choice(inner))
        return value

    def change(self, value, path, other):
        """Changes the value at a path in one of ten ways."""
        pick = self.random.choice
        parent, key = get(value, path[:-1]), path[-1]
        old = parent[key]
        name = pick(self.names)
        new = copy.deepcopy(pick(self.values))
        match self.random.randrange(10):
            case 0:
                del parent[key]
            case 1:
                parent[key] = copy.deepcopy(pick(RARE))
            case 2:
                parent[key] = new
            case 3 if isinstance(old, dict):
                # Most often a member that such a value has elsewhere.
                name = pick([other for value in self.values if isinstance(value, dict) and value.keys() & old.keys()
                             for other in value] or self.names)
                old[name] = copy.deepcopy(pick(self.named.get(name) or [new]))
            case 4 if isinstance(old, list):
                old.insert(self.random.randrange(len(old) + 1), copy.deepcopy(pick(old)) if old else new)
            case 5 if isinstance(old, list):
                self.random.shuffle(old)
            case 6 if isinstance(key, str):
                parent[name] = parent.pop(key)
            case 7 if isinstance(old, str):
                parent[key] = pick([old + old, old[:-1], old.upper(), old + "{x}", old + "/{x}", old + "#2", name,
                                    "{" + old + "}"])
            case 8:
                parent[key] = copy.deepcopy(get(value, other))
            case 9 if key in self.named:
                parent[key] = copy.deepcopy(pick(self.named[key]))


def commands(path, value):
    """The arguments with which a file is the first one that waypost reads."""
    if path.suffix == ".jsonl":
        return [["verify"]] if isinstance(value[0], dict) and "waypostTrace" in value[0] else []
    if path.suffix == ".yaml":
        return [["test"]] if all(isinstance(flow, dict) and "steps" in flow for flow in value) else []
    return [[*command, "--storyboard"] for command in COMMANDS] if isinstance(value, dict) and "scenes" in value else []


def hunt(waypost, folder, findings, seconds, seed=2015, **_):
    paths = []
    for number, name in enumerate(FOLDERS):
        copied = Path(folder) / str(number)
        shutil.copytree(ROOT / name, copied, ignore=shutil.ignore_patterns(".*"))
        paths += [path for path in sorted(copied.rglob("*.*")) if path.name not in LARGE]
    files = {path: value for path in paths if (value := read(path)) is not None}
    first = {path: found for path, value in files.items() if (found := commands(path, value))}
    changer = Changer(list(files.values()), seed)
    statuses = collections.Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # A file of data is read because a storyboard beside it names it. Few folders have such files.
        parent = changer.random.choice(sorted({path.parent for path in first}))
        path = changer.random.choice([path for path in first if path.parent == parent])
        beside = [other for other in files if other.parent == parent and other not in first]
        changed = changer.random.choice([path, path, *beside])
        content = changed.read_bytes()
        arguments = [*changer.random.choice(first[path]), str(path)]
        value = changer.changed(files[changed])
        try:
            if value != files[changed] and write(changed, value):
                statuses[run(waypost, arguments, changed, findings)] += 1
        finally:
            changed.write_bytes(content)
    print(f"files: {sum(statuses.values())} changed files, statuses {dict(sorted(statuses.items()))}")


def run(waypost, arguments, changed, findings):
    """Runs a command that reads a changed file. Returns its status."""
    command = arguments[0]
    lines = changed.read_text(errors="replace").splitlines()
    reproduction = [f"waypost {' '.join(arguments)}", f"{changed}:", *lines[:20]]
    try:
        result = subprocess.run([waypost, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        findings.add(PART, f"{command} ends", f"no end in {PATIENCE} s", reproduction)
        return "none"
    if result.returncode not in STATUSES:
        findings.add(PART, f"{command} ends with a status of its own", str(result.returncode), reproduction)
    elif "Usage: waypost" in result.stderr:
        findings.add(PART, f"{command} knows its options", result.stderr, reproduction)
    elif result.returncode and not result.stdout + result.stderr:
        findings.add(PART, f"{command} says why it fails", str(result.returncode), reproduction)
    return result.returncode
