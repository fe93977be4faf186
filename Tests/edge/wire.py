"""Bytes to and from a service, without a client that would mend them."""

import atexit
import ctypes
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "robustness"))


def serve(binary, *options):
    """Starts a service on a new store of the default kind. Returns the process and its port."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    process = subprocess.Popen(
        [binary, "serve", "--port", "0", "--store", f"sqlite:{folder.name}/waypost.sqlite", *options],
        stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)  # if the test fails; nothing if it has been stopped
    line = process.stdout.readline()
    if not (match := re.search(r"127\.0\.0\.1:(\d+)", line)):
        raise SystemExit(f"the service did not start: {line!r}")
    return process, int(match[1])


def major_version(process):
    """The major version of libmicrohttpd in a process: 0 or 1."""
    maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
    library = ctypes.CDLL(re.search(r"/\S*/libmicrohttpd\.so\S*", maps)[0])
    library.MHD_get_version.restype = ctypes.c_char_p
    return int(library.MHD_get_version().split(b".")[0])


def connect(port, receive_buffer=None):
    client = socket.socket()
    client.settimeout(20)
    if receive_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.connect(("127.0.0.1", port))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


class Closed(Exception):
    pass


class Answer:
    def __init__(self, head):
        lines = head.split(b"\r\n")
        self.status = int(lines[0].split()[1])
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(b":")
            self.fields[name.decode().lower()] = value.strip().decode()
        self.body = b""


class Wire:
    """One connection."""

    def __init__(self, port):
        self.socket, self.received = connect(port), b""

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The service may refuse before it has read all.

    def receive(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            piece = b""
        self.received += piece
        return bool(piece)

    def answer(self, has_content=True):
        while b"\r\n\r\n" not in self.received:
            if not self.receive():
                raise Closed(self.received)
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        answer = Answer(head)
        size = int(answer.fields.get("content-length", 0))
        if answer.status in (204, 304) or answer.status < 200 or not has_content:
            size = 0
        while len(self.received) < size:
            if not self.receive():
                raise Closed(self.received)
        answer.body, self.received = self.received[:size], self.received[size:]
        return answer

    def is_closed(self):
        """Waits for the end. What comes before it is dropped."""
        while self.receive():
            pass
        return True
