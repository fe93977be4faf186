"""A running waypost, and what its requests cost it: read from /proc, so for this machine's kernel."""

import atexit
import json
import re
import socket
import subprocess
import time


class Service:
    """A service on the store at `path`. Its log is dropped, so that only the store is written."""

    def __init__(self, binary, path, *options):
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--store", f"sqlite:{path}", "--access-log", "off",
             "--max-new-sessions-per-address", "0", "--max-new-accounts-per-address", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        # A finding ends this program, and the service with it.
        atexit.register(self.process.kill)
        line = self.process.stdout.readline()
        if not (match := re.search(r"http://127\.0\.0\.1:(\d+)", line)):
            raise SystemExit(f"the service did not start: {line!r}")
        self.port = int(match[1])
        self.connection = None

    def stop(self):
        self.process.terminate()
        if status := self.process.wait(40):
            raise SystemExit(f"the service ended with {status}")

    # What it takes.

    def _read(self, name):
        with open(f"/proc/{self.process.pid}/{name}") as file:
            return file.read()

    def cpu(self):
        """Processor time of all threads, also of those that have ended, in seconds."""
        # As clock_getcpuclockid(3) makes the id of another process's clock.
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def written(self):
        """Bytes that were written to files."""
        return int(re.search(r"wchar: (\d+)", self._read("io"))[1])

    def resident(self, name="VmRSS"):
        return 1024 * int(re.search(rf"{name}:\s+(\d+)", self._read("status"))[1])

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    # Requests, whose bytes are counted as they are on the wire.

    def send(self, method, path, body=None, headers=()):
        """Returns the answer, the bytes that were sent for it and those that came back."""
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(
            body, separators=(",", ":")).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
        if content:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        request = "\r\n".join(lines + ["", ""]).encode() + content
        if self.connection is None:
            self.connection = socket.create_connection(("127.0.0.1", self.port), 30)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.buffered = b""
        self.connection.sendall(request)
        answer = Answer(self)
        return answer, len(request), answer.size


class Answer:
    def __init__(self, service):
        buffered = service.buffered
        while b"\r\n\r\n" not in buffered:
            buffered += self._receive(service)
        head, _, content = buffered.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        length = int(length[1]) if length and self.status not in (204, 304) else 0
        if b"transfer-encoding: chunked" in head.lower():
            # A stream of changes, which ends after as many messages as the request asks for.
            while not content.endswith(b"\r\n0\r\n\r\n"):
                content += self._receive(service)
            length = len(content)
        parts = [content]
        received = len(content)
        while received < length:
            parts.append(self._receive(service))
            received += len(parts[-1])
        content = b"".join(parts)
        self.content, service.buffered = content[:length], content[length:]
        self.size = len(head) + 4 + length
        if b"connection: close" in head.lower():
            service.connection.close()
            service.connection = None

    def _receive(self, service):
        data = service.connection.recv(1 << 16)
        if not data:
            raise SystemExit("the service closed the connection without an answer")
        return data

    @property
    def json(self):
        return json.loads(self.content)
