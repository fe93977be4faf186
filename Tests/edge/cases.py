"""Requests as bytes, with what must come of them, for each version of libmicrohttpd."""

import copy

HALF_CLOSE, RESET, AWAIT = object(), object(), object()


class Case:
    """
    - pieces: what is sent, each in a packet of its own if it can be.
    - statuses: of the answers, in order.
    - closes: whether the service then ends the connection; if not, the next request is answered.
    - is_html: libmicrohttpd refuses it itself (docs/http.md).

    Version 1 of libmicrohttpd has the same results as 0.9, unless `in_1` says otherwise.
    """

    def __init__(self, name, *pieces, to=200, closes=False, is_html=False, has_content=True,
                 is_slow=False, fields=None):
        self.name, self.pieces = name, pieces
        self.statuses = to if isinstance(to, list) else [to]
        self.closes, self.is_html = closes, is_html
        self.has_content, self.is_slow, self.fields = has_content, is_slow, fields or {}
        self.other = None

    def in_1(self, to=400, closes=True, is_html=True):
        """Version 1 refuses the request itself, or does what the arguments say."""
        self.other = copy.copy(self)
        self.other.statuses = to if isinstance(to, list) else [to]
        self.other.closes, self.other.is_html = closes, is_html
        return self

    def closed_in_1(self):
        return self.in_1(to=[], is_html=False)

    def taken_in_1(self, to=200):
        return self.in_1(to, closes=False, is_html=False)

    def result(self, major):
        """The case with the results of a version of libmicrohttpd."""
        return self.other if major and self.other else self


def head(line, *fields, host="a"):
    lines = [line, *([f"Host: {host}"] if host is not None else []), *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def get(target, *fields, method="GET", version="HTTP/1.1"):
    return head(f"{method} {target} {version}", *fields)


def post(body, *fields):
    return head("POST /v1/sessions HTTP/1.1", "Content-Type: application/json",
                f"Content-Length: {len(body)}", *fields) + body


def with_body(*fields, line="POST /v1/sessions HTTP/1.1"):
    return head(line, "Content-Type: application/json", *fields)


def chunked(*fields):
    return with_body("Transfer-Encoding: chunked", *fields)


def refused(name, *pieces, to=400):
    """With a problem, and the connection closed."""
    return Case(name, *pieces, to=to, closes=True)


def html(name, *pieces, to=400):
    return Case(name, *pieces, to=to, closes=True, is_html=True)


def bytewise(data):
    return [data[n:n + 1] for n in range(len(data))]


LIVE = get("/livez")
COVER = "/v1/catalog/authors/jane-austen/books/emma/cover"

LINES = [
    Case("a plain request", LIVE),
    Case("version 1.0", head("GET /livez HTTP/1.0", host=None), closes=True),
    Case("version 1.0 that is kept", head("GET /livez HTTP/1.0", "Connection: Keep-Alive")),
    refused("version 1.2", get("/livez", version="HTTP/1.2"), to=505),
    html("version 2.0", get("/livez", version="HTTP/2.0"), to=505),
    html("version 0.9", get("/livez", version="HTTP/0.9"), to=505),
    html("version 1.10", get("/livez", version="HTTP/1.10")),
    html("version in lower case", get("/livez", version="http/1.1")),
    html("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", to=505),
    html("no version", head("GET /livez")),
    Case("a request line of one word", head("GET"), to=[], closes=True),
    Case("empty lines before", b"\r\n\r\n" + LIVE).closed_in_1(),
    refused("lines that end with LF", LIVE.replace(b"\r\n", b"\n")).in_1(),
    refused("two blanks before the target", head("GET  /livez HTTP/1.1")).in_1(),
    refused("two blanks before the version", head("GET /livez  HTTP/1.1")).in_1(),
    html("a blank behind the version", head("GET /livez HTTP/1.1 ")),
    refused("a NUL in a method", get("/livez", method="GET\0X")).closed_in_1(),
    html("a NUL behind the version", get("/livez", version="HTTP/1.1\0")).closed_in_1(),
    Case("a method in lower case", get("/livez", method="get"), to=405),
    Case("a method that nobody has", get("/livez", method="BREW"), to=405),
    Case("a method of 1000 letters", get("/livez", method="X" * 1000), to=405),
    Case("TRACE", get("/livez", method="TRACE"), to=405),
    Case("CONNECT to an authority", get("a:80", method="CONNECT"), to=400),
    Case("a greeting of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", HALF_CLOSE, to=[],
         closes=True),
    Case("bytes of no meaning", bytes(range(128, 256)) + b"\r\n\r\n", to=[], closes=True),
]

TARGETS = [
    Case("an escaped letter", get("/%6Civez")),
    Case("an escape that is none", get("/%zz"), to=400),
    Case("half an escape", get("/livez%2"), to=400),
    Case("an escaped NUL", get("/livez%00"), to=400),
    Case("an escape that is not UTF-8", get("/%ff"), to=400),
    Case("an escaped slash", get("/v1%2Fcatalog/authors"), to=404),
    Case("two slashes", get("//livez"), to=404),
    Case("a slash behind", get("/livez/"), to=404),
    Case("dots", get("/./livez"), to=404),
    Case("two dots", get("/../../etc/passwd"), to=404),
    Case("escaped dots", get("/%2e%2e/%2e%2e/etc/passwd"), to=404),
    Case("a backslash", get("\\livez"), to=400),
    Case("no slash", get("livez"), to=400),
    Case("a fragment", get("/livez#top"), to=400),
    Case("absolute form", get("http://elsewhere/livez")),
    Case("absolute form of another scheme", get("ftp://elsewhere/livez"), to=400),
    Case("an asterisk", get("*"), to=404),
    Case("an asterisk for OPTIONS", get("*", method="OPTIONS"), to=204),
    Case("an empty query", get("/livez?")),
    Case("an unknown parameter", get("/livez?a=b"), to=400),
    Case("a parameter that is there twice", get("/v1/catalog/authors?limit=1&limit=1"), to=400),
    refused("a byte beyond ASCII", get("/livez\xe9")),
    Case("300 parameters", get("/livez?" + "a=b&" * 300), to=400),
    Case("hundreds of parameters", get("/livez?" + "a=b&" * 600), to=[], closes=True).in_1(to=431),
    Case("thousands of parameters", get("/livez?" + "a&" * 4000), to=[], closes=True).in_1(to=431),
    Case("thousands of empty parameters", get("/livez?" + "&" * 8000), to=[], closes=True)
    .in_1(to=431),
    refused("a NUL", get("/livez\0/../junk")).closed_in_1(),
    refused("a NUL before the query", get("/readyz\0?a=b")).closed_in_1(),
    refused("a NUL in the query", get("/readyz?a\0=b")).closed_in_1(),
    refused("a control character", get("/livez\x01")),
    refused("a tab", get("/li\tvez")),
    Case("8192 bytes", get("/" + "x" * 8191), to=404),
    refused("8193 bytes", get("/" + "x" * 8192), to=414),
    refused("25,000 bytes", get("/" + "x" * 25_000), to=414),
    html("100,000 bytes", get("/" + "x" * 100_000), to=414),
]

FIELDS = [
    refused("no Host", head("GET /livez HTTP/1.1", host=None)).in_1(),
    refused("two Hosts", get("/livez", "Host: b")),
    Case("an empty Host", head("GET /livez HTTP/1.1", host="")),
    refused("a blank before the colon", get("/livez", "X : y")).in_1(),
    refused("a blank in a name", get("/livez", "X Y: z")).in_1(),
    Case("a Host with a port", head("GET /livez HTTP/1.1", host="a:80")),
    Case("a Host that is an IPv6 address", head("GET /livez HTTP/1.1", host="[::1]:8080")),
    refused("a Host that is none", head("GET /livez HTTP/1.1", host="a b/c@d")),
    refused("a Host with a scheme", head("GET /livez HTTP/1.1", host="http://a")),
    refused("a Host with two ports", head("GET /livez HTTP/1.1", host="a:1:2")),
    refused("a Host of another machine", head("GET /livez HTTP/1.1", host="evil.example"), to=421),
    refused("an empty name", get("/livez", ": y")).in_1(),
    html("a NUL in a name", get("/livez", "X\0Y: z")),
    refused("a NUL in a value", get("/livez", "X: y\0z")).in_1(),
    refused("a NUL behind a token", get("/livez", "Authorization: Bearer wps_0\0junk")).in_1(),
    refused("a name beyond ASCII", get("/livez", "\xdc: y")),
    refused("a control character in a name", get("/livez", "X\x01: y")),
    refused("a control character in a value", get("/livez", "X: a\x01b")),
    refused("a carriage return in a value", get("/livez", "X: a\rb")).in_1(),
    refused("a DEL in a value", get("/livez", "X: a\x7fb")),
    html("a line without a colon", get("/livez", "X")),
    Case("a value beyond ASCII", get("/livez", "X: \xfc")),
    Case("an empty value", get("/livez", "X:")),
    refused("a value that goes on in the next line", get("/livez", "X: a", " b")).in_1(),
    refused("a line with a blank alone", get("/livez", "X: a", " ")).in_1(),
    Case("all that looks like a proxy's", get("/livez", "X-Forwarded-For: \"'<>", "Forwarded: ;;,")),
    Case("100 fields", get("/livez", *["X: y"] * 99)),
    refused("101 fields", get("/livez", *["X: y"] * 100), to=431),
    refused("a field that is too large", get("/livez", "X: " + "y" * 16_400), to=431),
    html("a field that is far too large", get("/livez", "X: " + "y" * 100_000), to=431),
    html("thousands of fields", get("/livez", *["X:"] * 10_000), to=431),
    html("thousands of cookies", get("/livez", "Cookie: " + "a;" * 6000), to=431)
    .taken_in_1(),
    Case("a wish to upgrade", get("/livez", "Connection: upgrade", "Upgrade: websocket")),
    Case("a wish for HTTP/2", get("/livez", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c")),
    Case("a wish to close", get("/livez", "Connection: close"), closes=True),
]

# Version 0.9 of libmicrohttpd does not report these bytes. The size of the head shows them, but only if
# blanks are not missing elsewhere (docs/http.md), and shows a blank too many in the same way.
HIDDEN = [
    Case("no blank before a value", get("/livez", "X:y")),
    refused("two blanks before a value", get("/livez", "X:  y")).taken_in_1(),
    Case("blanks behind a value", get("/livez", "X: y \t ")),
    Case("a line that ends with LF", get("/livez", "X: y\nY: z")).in_1(),
    refused("two lines that end with LF", get("/livez", "X:y\nY:z\nZ:")).in_1(),
    Case("a NUL in a value, and no blank", get("/livez", "X: y\0", "Y:z")).in_1(),
    Case("a NUL in a target, and no blank", get("/livez\0", "Y:z")).closed_in_1(),
    Case("two blanks before the target, and none before a value",
         head("GET  /livez HTTP/1.1", "Y:z")).in_1(),
    Case("a value that goes on, and three values without a blank",
         get("/livez", "X: a", " b", "A:", "B:", "C:")).in_1(),
    refused("a value that goes on, and two values without a blank",
            get("/livez", "X: a", " b", "A:", "B:")).in_1(),
]

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

LENGTHS = [
    Case("a body", post(b"{}"), to=201),
    Case("a body for GET", get("/livez", "Content-Length: 5") + b"hello"),
    refused("two media types",
            with_body("Content-Type: text/plain", "Content-Length: 2") + b"{}"),
    refused("two lengths", with_body("Content-Length: 2", "Content-Length: 2") + b"{}"),
    refused("two different lengths",
            with_body("Content-Length: 2", "Content-Length: 40") + b"{}" + SMUGGLED),
    html("a list of lengths", with_body("Content-Length: 2, 2") + b"{}"),
    html("a length with a sign", with_body("Content-Length: +2") + b"{}"),
    html("a length below zero", with_body("Content-Length: -1") + b"{}"),
    html("a length in hexadecimal", with_body("Content-Length: 0x2") + b"{}"),
    html("a length beyond 64 bits", with_body("Content-Length: 18446744073709551616"), to=413),
    refused("a length that no Int holds", with_body("Content-Length: 18446744073709551615"), to=413)
    .in_1(to=413),
    refused("a length far too large", with_body("Content-Length: 4194305"), to=413),
    Case("100,000 brackets", post(b"[" * 100_000), to=413),
    Case("a body that is too large", post(b"x" * 65_537), to=413),
    refused("a length with a blank before the colon",
            with_body("Content-Length : 2") + b"{}").in_1(),
    refused("length and chunks",
            with_body("Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n" + SMUGGLED)
    .in_1(),
    refused("chunks and length",
            with_body("Transfer-Encoding: chunked", "Content-Length: 40") + b"0\r\n\r\n" + SMUGGLED)
    .in_1(),
    refused("another coding", with_body("Transfer-Encoding: gzip") + b"0\r\n\r\n").in_1(),
    refused("two codings", with_body("Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n").in_1(),
    refused("chunks twice", chunked("Transfer-Encoding: chunked") + b"0\r\n\r\n" + SMUGGLED),
    refused("identity", with_body("Transfer-Encoding: identity") + b"{}").in_1(),
    refused("almost chunked", with_body("Transfer-Encoding: xchunked") + b"0\r\n\r\n").in_1(),
    refused("a blank behind chunked", with_body("Transfer-Encoding: chunked ") + b"0\r\n\r\n")
    .taken_in_1(201),
    refused("a tab behind chunked",
            with_body("Transfer-Encoding: chunked\t") + b"0\r\n\r\n" + SMUGGLED)
    .taken_in_1([201, 404]),
    refused("a NUL behind chunked",
            with_body("Transfer-Encoding: chunked\0x") + b"0\r\n\r\n" + SMUGGLED)
    .in_1(),
    refused("a NUL behind a length", with_body("Content-Length: 2\0 9") + b"{}").in_1(),
    html("a coding that a NUL hides",
         with_body("Content-Length: 0", "Transfer-Encoding\0: chunked") + b"0\r\n\r\n"),
    refused("chunked in quotes", with_body('Transfer-Encoding: "chunked"') + b"0\r\n\r\n").in_1(),
    refused("chunked behind a control character",
            with_body("Transfer-Encoding: \x0bchunked") + b"0\r\n\r\n" + SMUGGLED)
    .in_1(),
    refused("a coding with a blank before the colon",
            with_body("Transfer-Encoding : chunked") + b"0\r\n\r\n" + SMUGGLED)
    .in_1(),
    refused("chunks in version 1.0",
            with_body("Transfer-Encoding: chunked", line="POST /v1/sessions HTTP/1.0")
            + b"0\r\n\r\n"),
]

CHUNKS = [
    Case("chunks", chunked() + b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", to=201),
    Case("chunked in capitals",
         with_body("Transfer-Encoding: CHUNKED") + b"2\r\n{}\r\n0\r\n\r\n", to=201),
    Case("a size with zeros", chunked() + b"0002\r\n{}\r\n000\r\n\r\n", to=201),
    Case("sizes in capitals", chunked() + b"A\r\n{        }\r\n0\r\n\r\n", to=201),
    Case("an extension", chunked() + b"2;a=b\r\n{}\r\n0;c\r\n\r\n", to=201).in_1(),
    Case("a trailer", chunked() + b"2\r\n{}\r\n0\r\nX: y\r\n\r\n", to=201),
    Case("a length in the trailer",
         chunked() + b"2\r\n{}\r\n0\r\nContent-Length: 40\r\n\r\n", to=201),
    Case("chunks that end with LF", chunked() + b"2\n{}\n0\n\n", to=201).in_1(),
    html("no size", chunked() + b"\r\n{}\r\n0\r\n\r\n"),
    html("a size that is no number", chunked() + b"z\r\n{}\r\n0\r\n\r\n"),
    html("a size below zero", chunked() + b"-2\r\n{}\r\n0\r\n\r\n"),
    html("a size with 0x", chunked() + b"0x2\r\n{}\r\n0\r\n\r\n"),
    html("a size with a blank", chunked() + b"2 \r\n{}\r\n0\r\n\r\n"),
    html("a size beyond 64 bits", chunked() + b"1" + b"0" * 16 + b"\r\n", to=413),
    html("a chunk that is longer than its size", chunked() + b"2\r\n{} }\r\n0\r\n\r\n"),
    # libmicrohttpd waits for the rest of it, until the time limit of the body.
    Case("an extension without end", chunked() + b"2;" + b"x" * 100_000, to=[], closes=True),
    html("a trailer without end", chunked() + b"0\r\n" + b"X: y\r\n" * 20_000, to=431),
    Case("chunks that are too large", chunked() + b"10001\r\n" + b"x" * 65_537 + b"\r\n0\r\n\r\n",
         to=413),
    Case("chunks without end", chunked() + (b"10000\r\n" + b"x" * 65_536 + b"\r\n") * 100, to=[],
         closes=True),
]

EXPECTATIONS = [
    Case("a client that asks first",
         with_body("Content-Length: 2", "Expect: 100-continue"), AWAIT, b"{}", to=201),
    Case("a client that asks and does not wait",
         with_body("Content-Length: 2", "Expect: 100-continue") + b"{}", to=[100, 201])
    .taken_in_1(201),
    refused("a client that asks for too much",
            with_body("Content-Length: 65537", "Expect: 100-continue"), to=413),
    Case("another expectation", with_body("Content-Length: 2", "Expect: wonders") + b"{}", to=201),
]

METHODS = [
    Case("HEAD", get("/livez", method="HEAD"), has_content=False),
    Case("HEAD of what is not there", get("/none", method="HEAD"), to=404, has_content=False),
    Case("OPTIONS", get("/livez", method="OPTIONS"), to=204, fields={"allow": "GET, HEAD, OPTIONS"}),
    Case("a method that a path does not take", get("/livez", method="DELETE"), to=405,
         fields={"allow": "GET, HEAD, OPTIONS"}),
    Case("a part of a file", get(COVER, "Range: bytes=0-9"), to=206, fields={"content-length": "10"}),
    Case("a part behind the end", get(COVER, "Range: bytes=99999999-"), to=416),
    Case("many parts", get(COVER, "Range: bytes=0-1,3-4"), to=200),
    Case("another type of body", head("POST /v1/sessions HTTP/1.1", "Content-Length: 2") + b"{}",
         to=415),
]

CONNECTIONS = [
    Case("three requests at once", LIVE * 3, to=[200] * 3),
    Case("a hundred requests at once", LIVE * 100, to=[200] * 100),
    Case("requests with bodies at once", post(b"{}") + chunked() + b"2\r\n{}\r\n0\r\n\r\n" + LIVE,
         to=[201, 201, 200]),
    refused("a sound and an unsound request at once", LIVE + get("/livez", "Host: b") + LIVE,
            to=[200, 400]),
    Case("a request behind one that closes", get("/livez", "Connection: close") + SMUGGLED,
         closes=True),
    Case("a request in the body of another", post(SMUGGLED), to=400),
    Case("byte by byte", *bytewise(LIVE)),
    Case("chunks byte by byte", *bytewise(chunked() + b"2\r\n{}\r\n0\r\nX: y\r\n\r\n"), to=201),
    Case("chunks with an extension byte by byte",
         *bytewise(chunked() + b"2;x=y\r\n{}\r\n0\r\nX: y\r\n\r\n"), to=201).in_1(),
    Case("nothing, and an end", HALF_CLOSE, to=[], closes=True),
    Case("half a line, and an end", b"GET /li", HALF_CLOSE, to=[], closes=True),
    Case("half a head, and an end", b"GET /livez HTTP/1.1\r\nHo", HALF_CLOSE, to=[], closes=True),
    Case("half a body, and an end", with_body("Content-Length: 20") + b"{", HALF_CLOSE, to=[],
         closes=True),
    Case("half a chunk, and an end", chunked() + b"14\r\n{", HALF_CLOSE, to=[], closes=True),
    Case("a request, and an end", LIVE, HALF_CLOSE, closes=True),
    Case("two requests, and an end", LIVE * 2, HALF_CLOSE, to=[200, 200], closes=True),
    Case("a reset in a line", b"GET /li", RESET, to=[]),
    Case("a reset in a body", with_body("Content-Length: 20") + b"{", RESET, to=[]),
    Case("a reset before the answer", LIVE * 10, RESET, to=[]),
    Case("nothing", to=[], closes=True),
    Case("a head that does not end", b"GET /livez HTTP/1.1\r\nHost: a\r\n", to=[], closes=True,
         is_slow=True),
    Case("a body that does not end", with_body("Content-Length: 20") + b"{", to=[], closes=True,
         is_slow=True),
    Case("chunks that do not come", chunked() + b"14\r\n{", to=[], closes=True),
    html("empty lines that do not end", b"\r\n" * 50_000, to=414).closed_in_1(),
]

CASES = (LINES + TARGETS + FIELDS + HIDDEN + LENGTHS + CHUNKS + EXPECTATIONS + METHODS + CONNECTIONS)
