"""A server that answers one request after the other from a list, and records what it was asked."""

import socket
import threading
import time


class Stub:
    """Each answer is a list of steps: bytes are sent, and a number is a time to wait. Then the connection is closed."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        for steps in self.answers:
            connection = self.listener.accept()[0]
            request = Request()
            self.requests.append(request)
            # A client may leave an answer before its end, and come back.
            threading.Thread(target=self.answer, args=[connection, request, steps], daemon=True).start()
        self.listener.close()

    @staticmethod
    def answer(connection, request, steps):
        with connection:
            request.read(connection)
            try:
                for step in steps:
                    time.sleep(step) if isinstance(step, (int, float)) else connection.sendall(step)
            except OSError:
                pass  # The client has closed the connection.
            request.end = time.monotonic()

    def wait(self, number):
        """The seconds between the end of an answer and the next request."""
        return self.requests[number + 1].arrival - self.requests[number].end


class Request:
    def __init__(self):
        self.arrival = self.cursor = self.end = None

    def read(self, connection):
        # Node may connect before it has a request.
        head = connection.recv(65536)
        self.arrival = time.monotonic()
        while b"\r\n\r\n" not in head:
            head += connection.recv(65536)
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name.lower() == "last-event-id":
                self.cursor = value


def stream(*parts):
    return [b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n", *parts]


def refusal(status, *fields):
    head = "\r\n".join([f"HTTP/1.1 {status} Refused", "Content-Length: 0", "Connection: close", *fields])
    return [f"{head}\r\n\r\n".encode()]
