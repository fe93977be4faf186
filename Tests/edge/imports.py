#!/usr/bin/env python3
"""Walks through imported Xcode storyboards over HTTP, and gives the import files made to break it.

    imports.py WAYPOST [FILE-OR-FOLDER ...] [--seed 1] [--only walk|hostile]

Each storyboard with an initial view controller is served from a SQLite store. Two sessions, one of
them strict, carry out 200 random operations over its taps and segues. No response is a 5xx, a
refused operation changes nothing, and the rules below hold after each one. After a restart the
sessions are the same. Without paths: the storyboards of the tests and the examples; a folder that
has no Info.plist stands for each storyboard below it.

A file made to break the import ends it with 1 and one line that names the file, in less than a
second of processor time and with at most 64 MiB more memory than a good file.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = [
    [ROOT / "Tests/NavigationTests/Imports/Storyboards/Shop"],
    [ROOT / "Tests/NavigationTests/Imports/Storyboards/Shop/Basket.storyboard"],
    [ROOT / "Tests/NavigationTests/Imports/Storyboards/Travel"],
    [ROOT / "Examples/XcodeProject"],
    [ROOT / "Examples/XcodeProject", "--import-options", ROOT / "Examples/XcodeProject/Waypost.json",
     "--catalog", ROOT / "Examples/XcodeProject/Resources/Books.plist"],
]
# Odd, and yet well-formed.
ACCEPTED = {"8-MB-of-one-attribute", "2-MB-of-comments", "utf-16-declared"}
OPERATIONS, SECONDS, MEMORY = 200, 1.0, 64 << 10  # kilobytes
# Reasons for which a file is no app.
NO_APP = ("no initial view controller", "for macOS", "for watchOS", "has no scenes")


def require(condition, *what):
    if not condition:
        sys.exit("FAIL " + " ".join(str(part) for part in what))


# Walks


class Service:
    def __init__(self, binary, store, storyboard):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--store", f"sqlite:{store}", "--access-log", "off",
             "--storyboard", *storyboard],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        match = re.search(r"127\.0\.0\.1:(\d+)", line)
        self.refusal = None if match else self.process.communicate()[1]
        if match:
            self.http = http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=20)

    def call(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.http.request(method, path, None if body is None else json.dumps(body), headers)
        response = self.http.getresponse()
        content = json.loads(response.read() or "null")
        require(response.status < 500, method, path, body, response.status, content)
        return response.status, content

    def stop(self):
        self.process.terminate()
        require(self.process.wait(40) == 0, "the service ended with", self.process.returncode)
        # A line of the log on standard error is not an error; what it says of one is.
        for line in self.process.stderr:
            require('"level":"error"' not in line, line)


def without_times(session):
    return {key: value for key, value in session.items() if key != "expiresAt"}


class Walk:
    """One session and its random operations."""

    def __init__(self, service, scenes, strict, choice):
        self.scenes, self.choice = scenes, choice
        status, session = service.call("POST", "/v1/sessions", {"strict": strict})
        require(status == 201, "no session:", session)
        self.path, self.token = f"/v1/sessions/{session['id']}", session["token"]
        self.session = self.read(service)
        self.performed = 0

    def read(self, service):
        status, session = service.call("GET", self.path, token=self.token)
        require(status == 200, session)
        return without_times(session)

    def operation(self, service):
        """A route below the session and its body."""
        top = self.session["viewControllers"][-1]
        _, screen = service.call("GET", f"{self.path}/screen", token=self.token)
        require(screen["viewController"] == top["id"], "the screen of another:", screen, top)
        number, segues = self.choice.random(), self.scenes[top["scene"]].get("segues", [])
        if number < 0.5 and screen["taps"]:
            tap = self.choice.choice(screen["taps"])
            return "POST", "tap", {"place": tap["place"], "index": tap["index"]}
        if number < 0.75 and segues:
            return "POST", "perform-segue", {"identifier": self.choice.choice(segues)["identifier"]}
        return self.choice.choice(
            [("POST", "back", {}), ("POST", "swipe-down", {}), ("POST", "dismiss", {}),
             ("POST", "pop", {}), ("POST", "pop-to-root", {}),
             ("POST", "tap-tab", {"index": self.choice.randrange(3)})])

    def step(self, service):
        method, name, body = self.operation(service)
        status, answer = service.call(method, f"{self.path}/{name}", body, self.token)
        now, what = self.read(service), (name, body, status)
        if status == 200:
            require(without_times(answer["session"]) == now, *what, "answered another session")
            require(
                now["revision"] == self.session["revision"] + answer["changed"], *what,
                "changed:", answer["changed"], "revision:", now["revision"])
            self.performed += answer["changed"]
        else:
            require(answer.get("code") and answer.get("detail"), *what, answer)
            require(now == self.session, *what, "was refused, and changed the session")
        self.session = now
        self.check(*what)

    def check(self, *what):
        shown = self.session["viewControllers"]
        require(shown, *what, "no view controller")
        ids = [entry["id"] for entry in shown]
        require(len(set(ids)) == len(ids), *what, "an id twice:", ids)
        for entry in shown:
            require(entry["scene"] in self.scenes, *what, "an unknown scene:", entry)
            require(not self.scenes[entry["scene"]]["kind"] in ("navigation", "tabBar"), *what, entry)


def walk(binary, storyboard, seed):
    """Returns a line that says what was done."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/waypost.sqlite"
        service = Service(binary, store, storyboard)
        if service.refusal is not None:
            known = any(reason in service.refusal for reason in NO_APP)
            require(known, storyboard[0], "is not served:", service.refusal)
            return "not an app: " + service.refusal.strip().splitlines()[-1]
        _, app = service.call("GET", "/v1/storyboard")
        choice = random.Random(seed)
        walks = [Walk(service, app["scenes"], strict, choice) for strict in (False, True)]
        for one in walks:
            for _ in range(OPERATIONS):
                one.step(service)
        service.stop()
        service = Service(binary, store, storyboard)
        for one in walks:
            require(one.read(service) == one.session, "another session after a restart")
        service.stop()
        return f"{sum(one.performed for one in walks)} changes in {2 * OPERATIONS} operations"


def storyboards(paths):
    for path in map(Path, paths):
        if path.is_file() or any(path.rglob("Info.plist")):
            yield [path]
        else:
            yield from ([file] for file in sorted(path.rglob("*.storyboard")))


# Files made to break the import


GOOD = (ROOT / "Examples/XcodeProject/Base.lproj/Main.storyboard").read_bytes()


def hostile():
    """Pairs of a name and a function that returns the parts of a file."""
    declaration, scenes = GOOD.index(b"<document"), GOOD.index(b"<scenes>") + len(b"<scenes>")
    lines = GOOD.splitlines(keepends=True)
    conflict = (
        lines[:30] + [b"<<<<<<< HEAD\n", lines[30], b"=======\n", lines[30], b">>>>>>> other\n"]
        + lines[31:])
    laughs = [b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12)]

    def inside(*content):
        return lambda: itertools.chain([GOOD[:scenes]], *content, [GOOD[scenes:]])

    def doctype(text, content=b""):
        return lambda: [GOOD[:declaration], text, GOOD[declaration:scenes], content, GOOD[scenes:]]

    def whole(function):
        return lambda: [function(GOOD)]

    yield "doctype", doctype(b"<!DOCTYPE document>")
    yield "doctype-of-a-file", doctype(b'<!DOCTYPE document SYSTEM "file:///etc/passwd">')
    yield "doctype-of-a-network", doctype(b'<!DOCTYPE document SYSTEM "http://127.0.0.1:1/x.dtd">')
    yield "entity-of-a-file", doctype(
        b'<!DOCTYPE document [<!ENTITY x SYSTEM "file:///etc/passwd">]>', b"&x;")
    yield "a-billion-laughs", doctype(
        b'<!DOCTYPE document [<!ENTITY l0 "ha">' + b"".join(laughs) + b"]>", b"&l11;")
    yield "undeclared-entity", inside([b"&nothing;"])
    yield "nested-10000-deep", inside([b"<a>" * 10_000 + b"</a>" * 10_000])
    yield "100-MB-of-blanks", inside(itertools.repeat(b" " * (1 << 20), 100))
    yield "100-MB-of-elements", inside(itertools.repeat(b"<a/>" * (1 << 18), 100))
    yield "8-MB-of-one-attribute", inside([b'<a b="'], [b"x" * 8_000_000], [b'"/>'])
    yield "8-MB-of-attributes", inside([b"<a "], (b'a%d="" ' % n for n in range(700_000)), [b"/>"])
    yield "8-MB-of-namespaces", inside([b"<a "], (b'xmlns:a%d="b" ' % n for n in range(400_000)), [b"/>"])
    yield "attributes-behind-a-comment", inside(
        [b'<!-- <" -->', b"<a "], (b'a%d="" ' % n for n in range(700_000)), [b"/>"])
    yield "300000-elements", inside([b"<a/>" * 300_000])
    yield "2-MB-of-comments", inside([b"<!--a-->" * 250_000])
    yield "conflict-markers", lambda: conflict
    yield "utf-16", whole(lambda good: b"\xff\xfe" + good.decode().encode("utf-16-le"))
    yield "utf-16-declared", whole(lambda good: good.replace(b"UTF-8", b"UTF-16"))
    yield "unknown-encoding", whole(lambda good: good.replace(b"UTF-8", b"X-NONE"))
    yield "not-utf-8", inside([b"<a b='\xff\xfe'/>"])
    yield "nul-inside", inside([b"<a b='\0'/>"])
    yield "binary", lambda: [bytes(range(256)) * 64]
    yield "empty", lambda: []
    yield "blank", lambda: [b" \n"]
    yield "html", lambda: [b"<!doctype html><html><body>404</body></html>"]
    yield "json", lambda: [b'{"scenes": {}}']
    yield "a-nib", whole(lambda good: good.replace(b"CocoaTouch.Storyboard.XIB", b"CocoaTouch.XIB"))
    yield "two-roots", lambda: [GOOD, GOOD[declaration:]]
    yield "an-attribute-twice", inside([b'<a id="1" id="2"/>'])
    for part in range(1, 50):
        yield f"cut-off-at-{part}-of-50", whole(lambda good: good[: len(good) * part // 50])


def write(file, parts):
    """Writes a file in another process: the memory of this one counts as that of the programs
    that it starts."""
    if not (child := os.fork()):
        with open(file, "wb") as output:
            output.writelines(parts())
        os._exit(0)
    require(os.waitpid(child, 0)[1] == 0, "the file was not written")


def run(binary, file):
    """The exit status, standard error, seconds of processor time and kilobytes of one import."""
    with tempfile.TemporaryFile() as errors, open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([binary, "import", file], stdout=nothing, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return (process.returncode, errors.read().decode(), usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss)


def break_import(binary):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "Main.storyboard")
        file.write_bytes(GOOD)
        status, errors, _, usual = run(binary, file)
        require(status == 0, "the good file is refused:", errors)
        file.write_bytes(b"\xef\xbb\xbf" + GOOD)
        require(run(binary, file)[0] == 0, "a byte order mark is refused")
        count, slowest, largest = 0, (0, ""), (0, "")
        for name, parts in hostile():
            write(file, parts)
            status, errors, seconds, memory = run(binary, file)
            require(status == int(name not in ACCEPTED), name, "ended with", status, errors[-500:])
            lines = errors.splitlines()
            if name not in ACCEPTED:
                start = "error: Main.storyboard: "
                require(len(lines) == 1 and lines[0].startswith(start), name, lines)
                require(len(lines[0]) < 400, name, "a line of", len(lines[0]))
            require(seconds < SECONDS, name, "took", seconds, "s")
            require(memory < usual + MEMORY, name, "took", memory, "KB; usual:", usual)
            count += 1
            slowest, largest = max(slowest, (seconds, name)), max(largest, (memory, name))
        print(f"hostile: {count} files, at most {slowest[0]:.2f} s ({slowest[1]}) and "
              f"{(largest[0] - usual) / 1024:.0f} MiB more ({largest[1]})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["walk", "hostile"])
    options = parser.parse_args()
    if options.only != "hostile":
        for storyboard in list(storyboards(options.paths)) if options.paths else OWN:
            name = " ".join(str(part) for part in storyboard[:1])
            print(f"walk: {name.removeprefix(str(ROOT) + '/')}: "
                  f"{walk(options.waypost, storyboard, options.seed)}", flush=True)
    if options.only != "walk" and not options.paths:
        break_import(options.waypost)


if __name__ == "__main__":
    main()
