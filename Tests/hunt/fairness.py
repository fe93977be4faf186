"""Clients that read what costs most, again and again, against others: whom they hold up, what is left to do when they
have gone, and the stop."""

import multiprocessing
import socket
import statistics
import threading
import time

from service import GONE, Client, Crashed, Service, Unanswered

PART = "fairness"
# A stack at full depth, with a history that takes about a second to export.
DEPTH, CHANGES = 998, 400
READERS, LEAVING = 8, 100
# Milliseconds that the median of the others' requests may take. The median, because a busy machine delays some
# requests, and a service that is held up delays all. Where the machine alone takes long, it is a multiple of that.
MEDIAN, TIMES_IDLE = 50, 6
PROBES, PAUSE = 40, 0.05
# Seconds: until the work of clients that have gone has ended, and until the process has.
QUIET_WITHIN, STOPPED_WITHIN = 20, 30


class Hog:
    """A session with a long history, and clients that read it."""

    def __init__(self, service):
        self.port = service.port
        client = Client(service)
        session, self.token = client.open_session()
        self.path = f"/v1/sessions/{session}"
        push = {"push": {"scene": "signUp"}}
        client.call("POST", f"{self.path}/batch", {"operations": [push] * DEPTH}, self.token)
        for number in range(CHANGES):
            body = {"scene": "signUp"} if number % 2 == 0 else None
            answer = client.call("POST", f"{self.path}/{'pop' if number % 2 else 'push'}", body, self.token,
                                 {"Prefer": "return=minimal"})
            if answer.status >= 400:
                raise SystemExit(f"the history cannot be made: {answer}")

    def request(self, path):
        return (f"GET {self.path}/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
                "Connection: close\r\n\r\n").encode()

    def read(self, path, end, answers):
        """Reads until a time, with many connections, in a process of its own."""
        def again_and_again():
            while time.time() < end:
                try:
                    with socket.create_connection(("127.0.0.1", self.port), 60) as wire:
                        wire.sendall(self.request(path))
                        head = wire.recv(1 << 16)
                        while wire.recv(1 << 16):
                            pass
                except OSError:
                    continue
                with answers.get_lock():
                    answers.value += head.startswith(b"HTTP/1.1 200")
        threads = [threading.Thread(target=again_and_again) for _ in range(READERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def leave(self, path):
        """Sends many requests, and closes the connections."""
        wires = []
        for _ in range(LEAVING):
            wires.append(socket.create_connection(("127.0.0.1", self.port), 30))
            wires[-1].sendall(self.request(path))
        time.sleep(0.3)
        for wire in wires:
            wire.close()


class Others:
    """Another client: its requests, each on a connection of its own, and how long they take."""

    def __init__(self, service):
        self.service = service
        self.session, self.token = Client(service).open_session()

    def medians(self):
        """Milliseconds by request."""
        times = {}
        for number in range(PROBES):
            time.sleep(PAUSE)
            push = ("push", {"scene": "signUp"}) if number % 2 == 0 else ("pop", None)
            for name, request in {
                    "GET /livez": ("GET", "/livez"), "POST /v1/sessions": ("POST", "/v1/sessions"),
                    "a push": ("POST", f"/v1/sessions/{self.session}/{push[0]}", push[1], self.token)}.items():
                start = time.monotonic()
                answer = Client(self.service, timeout=60).call(*request)
                times.setdefault(name, []).append(1000 * (time.monotonic() - start))
                if answer.status >= 400:
                    raise Unanswered(f"{name}: {answer}")
        return {name: statistics.median(values) for name, values in times.items()}


def hunt_readers(service, hog, others, kind, findings):
    idle = others.medians()
    for path in ("flow", "history?limit=1000"):
        # The readers go on for as long as the others' requests take, up to a limit.
        answers, end = multiprocessing.Value("i", 0), time.time() + 60
        readers = multiprocessing.Process(target=hog.read, args=(path, end, answers), daemon=True)
        readers.start()
        time.sleep(0.5)
        before = processor_seconds(service)
        try:
            medians = others.medians()
            spent = processor_seconds(service) - before
        finally:
            readers.kill()
            readers.join()
        for name, median in medians.items():
            if median > max(MEDIAN, TIMES_IDLE * idle[name]):
                findings.add(PART, f"readers do not hold up others: {path} ({kind} store)",
                             f"{READERS} readers: {name} takes {median:.0f} ms, without them {idle[name]:.0f} ms")
        print(f"fairness: {READERS} readers of {path.partition('?')[0]} had {spent:.1f} s of processor time and "
              f"{answers.value} answers; others waited at most {max(medians.values()):.0f} ms (median), {kind} store")


def hunt_leaving(service, hog, others, kind, findings):
    """When the clients have gone, their work ends soon, and meanwhile holds up nobody."""
    hog.leave("flow")
    medians, idle_at = others.medians(), None
    start = time.monotonic()
    while idle_at is None and time.monotonic() - start < QUIET_WITHIN:
        before = processor_seconds(service)
        time.sleep(0.5)
        if processor_seconds(service) - before < 0.1:
            idle_at = time.monotonic() - start
    for name, median in medians.items():
        if median > MEDIAN * TIMES_IDLE:
            findings.add(PART, f"clients that have gone do not hold up others ({kind} store)",
                         f"{name} takes {median:.0f} ms")
    if idle_at is None:
        findings.add(PART, f"work ends when its client has gone ({kind} store)",
                     f"{LEAVING} flows: the service still works after {QUIET_WITHIN} s")


def hunt_stop(service, hog, kind, findings):
    hog.leave("flow")
    start = time.monotonic()
    try:
        service.stop()
    except Crashed as crash:
        findings.add(PART, f"the service stops ({kind} store)", f"with {LEAVING} flows in progress: {crash}")
    seconds = time.monotonic() - start
    if seconds > STOPPED_WITHIN:
        findings.add(PART, f"the service stops ({kind} store)",
                     f"with {LEAVING} flows in progress after {seconds:.0f} s")
    return seconds


def processor_seconds(service):
    # As clock_getcpuclockid(3) makes the id of another process's clock.
    return time.clock_gettime(~service.process.pid << 3 | 2)


def hunt(waypost, folder, findings, seconds, **_):
    for store in ("memory", f"{folder}/fairness.sqlite"):
        kind = "memory" if store == "memory" else "SQLite"
        service = Service(waypost, store)
        try:
            hog, others = Hog(service), Others(service)
            hunt_readers(service, hog, others, kind, findings)
            hunt_leaving(service, hog, others, kind, findings)
            print(f"fairness: stopped in {hunt_stop(service, hog, kind, findings):.1f} s, {kind} store")
        except (Crashed, Unanswered, *GONE) as error:
            findings.add(PART, f"others are answered ({kind} store)", str(error))
        finally:
            service.kill()
