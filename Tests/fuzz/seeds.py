#!/usr/bin/env python3
"""Writes the inputs that the fuzz targets start from: seeds.py FOLDER"""
import json
import pathlib
import plistlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "Sources/Tools/AppLoading/Resources"
STORYBOARDS = ROOT / "Tests/ConformanceTests/Storyboards"
XCODE = ROOT / "Tests/NavigationTests/Imports/Storyboards"

CATALOG = [{"Author": "Jane Austen", "Books": [{"Title": "Emma", "Cover": "a.png", "Year": 1815}]}]
VALUES = [1, -1, 2**40, 1.5, True, False, "a", "é😀", b"abc", [], {}, {"k": ["v"] * 20}]

WINDOWS = [
    {"lifecycle": "forwarded", "stack": [{"n": 1, "s": "login", "l": True}], "event": 5, "vc": 1},
    {"lifecycle": "native", "user": "ada", "stack": [
        {"n": 2, "s": "a", "l": True, "c": {"title": None, "hides": True, "itemTitle": "i",
         "backTitle": "b", "hidesBack": False, "left": ["l"], "right": [], "supplement": True}},
        {"n": 4, "s": "item", "p": {"n": "1"}, "l": True}], "selected": 0, "roots": [2, 3],
     "kept": [{"n": 3, "s": "b"}], "event": 40, "vc": 4},
    {"lifecycle": "forwarded", "stack": [{"n": 7, "s": "login", "l": True}], "link": "/item/1",
     "linkSegments": ["item", "1"], "event": 9223372036854775807, "vc": 9223372036854775807},
    {"lifecycle": "native", "strict": True, "user": "ada", "stack": [], "layers": [
        {"tabs": "tabs", "selected": 1, "holders": [
            {"n": 1, "stack": [{"n": 1, "s": "a"}, {"n": 4, "s": "b", "l": True}]},
            {"n": 2, "bare": True, "stack": [{"n": 2, "s": "b", "c": {"tabTitle": "t", "tabBadge": None}}]},
            {"n": 3, "stack": [{"n": 3, "s": "a"}]}]},
        {"style": "formSheet", "by": 2, "modal": True, "holders": [
            {"n": 5, "stack": [{"n": 6, "s": "b", "c": {"modal": True}}]}]}],
     "lastNC": 5, "event": 30, "vc": 6},
]


def lines(*records):
    """Returns the records of a log, as a row of the store holds them."""
    return "".join(json.dumps(record) + "\n" for record in records)


SEEDS = {
    "target": [
        "/", "*", "/v1/catalog/authors?limit=5&after=a", "/a%2Fb/%C3%A9//c?x=%20&y&=z",
        "http://a.example/b?c", "/%00", "/%ff", "/#a", "/a?b#c", "HTTP://a", "/%4", "/é",
    ],
    "query": [
        "limit=5", "limit=5&limit=6", "since=0", "since=9223372036854775807",
        "after=1700000000000-crd_0123456789abcdef", "a=b", "limit=%35", "", "&&", "limit",
    ],
    "head": [
        "/\nHTTP/1.1\nHost:a\nContent-Length:5",
        "/\nHTTP/1.1\nHost:a\nTransfer-Encoding:chunked",
        "/\nHTTP/1.0\nContent-Length:5\nContent-Length:6",
        "/a\nHTTP/1.1\nHost:a\nAccept:text/html;q=0.5, */*;q=0\nRange:bytes=0-1",
        "/a\nHTTP/1.1\nhOST:a\nContent-Type:application/json;charset=utf-8\nOrigin:https://a",
        "/a\nHTTP/1.1\nHost:\nX-Forwarded-For:192.0.2.1, 10.0.0.1\nAuthorization:Bearer wps_0",
        "/a\nHTTP/2\nHost:\tb\n:c\n a:b",
    ],
    "field": [
        "application/json, text/*;q=0.0, */*;q=0.1", 'application/json; charset="UTF-8"',
        '"a", W/"b", *', "*", "bytes=0-499", "bytes=-1", "bytes=5-", "bytes=9999999999999999999-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "192.0.2.1:80", "[2001:db8::1]:80",
        "2001:db8::/32", "::ffff:10.0.0.0/104", "10.1.2.3, 10.0.0.1", "Bearer wps_" + "0" * 64,
        "https://a.example:8080", "http://[::1]", "8e03978e-40d5-43e8-bc93-6894a57f9324",
    ],
    "json": [
        '{"a":[1,-2,1.5e3,true,false,null,"b\\u00e9\\ud83d\\ude00\\u0000"]}', "[]", "0", '""',
        "[" * 32 + "]" * 32, "1e308", "-0.0", "9223372036854775807", '{"a":1,"a":2}', " [1 , 2]\n",
        '{"é":1,"é":2}',
    ],
    "body": [
        {"scene": "book", "parameters": {"author": "a", "book": "b"}}, {"viewController": "vc_1"},
        {"viewController": "vc_2", "animated": False}, {"row": 1}, {"index": 1},
        {"path": "/authors/a"}, {"viewControllers": [{"scene": "a"}, {"viewController": "vc1"}]},
        {"title": None, "navigationItem": {"title": "a", "leftItems": ["b"], "hidesBackButton": True}},
        {"operations": [{"push": {"scene": "a"}}, {"pop": {}}, {"open": {"path": "/"}},
                        {"pop-to": {"viewController": "vc_1"}}, {"what": {"a": 1}}],
         "animated": True},
        {"operations": [{"select-row": {"row": 1.0}}, {"set-view-controllers": {
                        "viewControllers": []}}, {"select-segment": {"index": -1}}]},
        {"operations": [{"what": {f"a{n}": 0 for n in range(50)}}, {f"a{n}": 0 for n in range(50)}]},
        {"scene": "a", "parameters": {f"a{n}": "" for n in range(50)}},
    ],
    "link": ["/", "/authors/{author}", "/a%2Fb", "/a?b", "{title} by {author}", "vc_1", "{", "{{a}}"],
    "property-list": [
        plistlib.dumps(value, fmt=form)
        for form in (plistlib.FMT_XML, plistlib.FMT_BINARY) for value in (VALUES, CATALOG)
    ] + ['{ a = 1; "b" = (c, <0fae>); /* d */ } // e', '{"a": [1, null]}', "<plist><!-- a --><dict>"
         "<key>a</key><![CDATA[b]]><date>2001-01-01T00:00:00Z</date></dict></plist>"],
    "stored-log": [lines({"revision": 1, "state": window, "expires": 0}) for window in WINDOWS] + [
        # A push and a back behind a complete state, and a log-in, a fall back and a fresh root.
        lines({"revision": 1, "state": WINDOWS[0], "expires": 60000, "credential": "0f" * 32},
              {"revision": 2, "at": -5, "request": "id", "do": {"push": {"scene": "a"}},
               "did": {"stacks": [{"n": 1, "keep": 1, "add": [{"n": 2, "s": "a", "l": True}]}], "vc": 2},
               "transition": "push", "first": 6, "of": [2, "a", 1, "login"], "events": [0, 27, 22, 4]},
              {"revision": 3, "at": 1, "do": {"back": {}}, "did": {"stacks": [{"n": 1, "keep": 1}]}}),
        lines({"revision": 2, "at": 0, "logIn": "ada", "credential": "00" * 32, "isSignUp": True,
               "did": {"layers": [{"style": "formSheet", "by": 2, "stacks": [
                   {"n": 2, "bare": True, "keep": 0, "add": [{"n": 3, "s": "b"}], "above": 1}]}],
                   "user": "ada", "segments": None, "link": None, "lastNC": 2}},
              {"revision": 3, "at": 0, "fallBack": "credential-revoked", "did": {"loggedOut": True}},
              {"revision": 4, "at": 0, "freshRoot": True}, {"revision": 4, "first": 9, "of": [1, "a"], "events": [0]}),
        # A change that an earlier version recorded without its effect.
        lines({"revision": 1, "state": WINDOWS[1], "expires": 0},
              {"revision": 2, "at": 0, "do": {"batch": {"operations": [{"pop": {}}]}}}),
    ],
    "earlier-session": WINDOWS + [
        # A complete state at revision 1, and a push and a back behind it.
        bytes(4) + b"\x00\x00\x00\x00" + b"\x00\x00\x01\x01\x01\x01\x01a\x00\x01\x00\x00\x01\x01\x00\x00\x07\x01"
        + b"\x09\x02\x00\x00\x00\x01a\x00" + b"\x11\x03\x00\x02id\x09",
        b"\x01\x02\x00\x16\x02\x01\x07\x06" + b"\x03\x03\x00\x03ada" + bytes(32) + b"\x04\x04\x00" + b"\x06\x05\x00",
        b"\x01\x02\x00\x17\x01\x01\x01\x01b\x07\x01\x01c\x00\x01\x01\x01d\x01e" + b"\x05\x03\x00\x12credential-revoked",
    ],
    "earlier-events": [
        first + json.dumps({"revision": 3, "animated": True, "events": [
            {"k": "viewDidLoad", "n": 2, "s": "a"}, {"k": "willShow", "n": 2, "s": "a", "a": False},
            {"k": "viewWillDisappear", "n": 1, "s": "b", "r": 4}]}).encode()
        for first in (bytes(6) + b"\x01", b"\xff" * 7)
    ] + [
        bytes(6) + b"\x01" + content for content in (
            bytes([7, 2, 1, 1, 7]) + b"library" + bytes([27]),
            bytes([2, 9, 0, 1, 1]) + b"a" + bytes([0x1b, 1, 10, 0, 2, 0]), b"\xff" * 12, b"\x01\x01\x00\x01\x7fa")
    ],
    "kept-response": [
        b'{"status":204,"headers":[["A","b"]]}\n', b'{"status":200,"headers":[],"lacksSession":true}\n{"a":1}',
        b"\x01\x0a\x00\x00\x00\xa0" + b'{"status":', b"\x01\xff\xff\xff\xff", b"\x02a",
    ],
    "operations": [
        bytes(range(0, 200, 7)), bytes([0, 1, 0, 4, 24, 0, 1, 2, 16, 2, 255, 1, 0, 1, 1, 26, 255, 0]),
        bytes([24, 6, 3, 30, 4, 0, 0, 2, 4, 22, 9, 1, 1, 1, 18, 20, 1, 255, 2, 16, 1]),
    ],
    "storyboard": [path.read_bytes() for path in sorted(STORYBOARDS.glob("*.json"))]
    + [(LIBRARY / "Library.json").read_bytes(), (LIBRARY / "Books.plist").read_bytes(), CATALOG,
       plistlib.dumps(CATALOG, fmt=plistlib.FMT_BINARY)],
    "xcode-storyboard": [path.read_bytes() for path in sorted(XCODE.rglob("*.storyboard"))],
}

for target, seeds in SEEDS.items():
    folder = pathlib.Path(sys.argv[1], target)
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        if not isinstance(seed, (str, bytes)):
            seed = json.dumps(seed)
        (folder / f"seed-{number}").write_bytes(seed if isinstance(seed, bytes) else seed.encode())
