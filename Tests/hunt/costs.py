"""Requests that cost the service much more than the client: bytes kept and bytes sent, by their number."""

from service import Client, Crashed, Service, Unanswered, size_of_store

PART = "sequences"
# Bytes on disk, and bytes of a refusal, for one byte that was sent, and how many are always allowed.
STORED_PER_SENT, STORE_ALLOWANCE = 4, 1 << 20
ERROR_PER_SENT, ERROR_ALLOWANCE = 16, 8192
DEPTH, REPEATS = 1000, 1500
# Bytes of a body, a little below the limit.
BODY = 64_000


def is_large_store(size, sent):
    return size > STORED_PER_SENT * sent + STORE_ALLOWANCE


def is_large_refusal(answer):
    return len(answer.body) > ERROR_PER_SENT * answer.sent + ERROR_ALLOWANCE


def hunt(waypost, folder, findings):
    for probe in (keyed_requests, defects, large_titles):
        path = f"{folder}/{probe.__name__}.sqlite"
        service = Service(waypost, path)
        try:
            probe(service, path, findings)
            if service.is_alive():
                service.stop()
        except (Crashed, Unanswered) as error:
            findings.add(PART, "the process lives", f"{probe.__name__}: {error}")
        finally:
            service.kill()


def keyed_requests(service, path, findings):
    """A large session, and requests with keys that change nothing: what is kept of each is small."""
    client = Client(service)
    session, token = client.open_session()
    operations = {"operations": [{"push": {"scene": "signUp"}}] * (DEPTH - 1)}
    client.call("POST", f"/v1/sessions/{session}/batch", operations, token)
    before = client.sent
    for number in range(REPEATS):
        answer = client.call(
            "POST", f"/v1/sessions/{session}/pop-to", {"viewController": f"vc{DEPTH}"}, token,
            {"Idempotency-Key": f"key-{number}"})
        if answer.status not in (200, 429):
            findings.add(PART, "a request that changes nothing is taken", str(answer))
            break
        if number % 100 == 0 and size_of_store(path) > 50 * (client.sent + STORE_ALLOWANCE):
            break
    sent = client.sent
    service.stop()
    size = size_of_store(path)
    if is_large_store(size, sent):
        findings.add(
            PART, "the store grows with what was sent",
            f"{number + 1} requests with keys, {sent} bytes of which {sent - before} with keys, made "
            f"the store {size} bytes large, {size / sent:.0f} for one")


def defects(service, _, findings):
    """Bodies with thousands of defects: the refusal is not much larger than the request."""
    client = Client(service)
    session, token = client.open_session()
    many = {f"{number:x}": 0 for number in range(BODY // 9)}
    bodies = {
        "batch of {}": ("POST", "batch", {"operations": [{}] * (BODY // 4)}),
        "batch of numbers": ("POST", "batch", {"operations": [1] * (BODY // 3)}),
        "batch of unknown operations": ("POST", "batch", {"operations": [{"x": {}}] * (BODY // 11)}),
        "view controllers of {}": ("POST", "set-view-controllers", {"viewControllers": [{}] * (BODY // 4)}),
        "view controllers of numbers": ("POST", "set-view-controllers", {"viewControllers": [1] * (BODY // 3)}),
        "unknown members": ("POST", "push", many),
        "unknown parameters": ("POST", "push", {"scene": "signUp", "parameters": many}),
        "items of numbers": (
            "PATCH", "view-controllers/vc1", {"navigationItem": {"leftItems": [1] * (BODY // 3)}}),
    }
    for name, (method, path, body) in bodies.items():
        answer = client.call(method, f"/v1/sessions/{session}/{path}", body, token)
        if answer.status < 400:
            findings.add(PART, "defects are refused", f"{name}: {answer}")
        if is_large_refusal(answer):
            findings.add(PART, "a refusal is not much larger than its request",
                         f"{name}: {answer.sent} bytes sent, {len(answer.body)} answered, "
                         f"{len(answer.body) / answer.sent:.0f} for one")


def large_titles(service, _, findings):
    """Titles and items that are too large or too many are refused."""
    client = Client(service)
    session, token = client.open_session()
    title = "t" * 60_000
    for body in ({"title": title}, {"navigationItem": {"title": title}},
                 {"navigationItem": {"backButtonTitle": title}},
                 {"navigationItem": {"leftItems": [title]}}, {"navigationItem": {"rightItems": [title]}},
                 {"navigationItem": {"leftItems": ["i"] * 21}},
                 {"navigationItem": {"rightItems": ["i"] * 10_000}}):
        answer = client.call("PATCH", f"/v1/sessions/{session}/view-controllers/vc1", body, token)
        if answer.status != 422:
            findings.add(PART, "titles and items have a limit",
                         f"{answer.sent} bytes were answered with {answer.status}, not 422: "
                         f"{str(body)[:60]}…")
