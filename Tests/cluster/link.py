#!/usr/bin/env python3
"""TCP links that can fail: a process that passes bytes on, and breaks links when told to.

    link.py NAME=PORT:TARGET...

It listens on each PORT of 127.0.0.1, connects to the port TARGET, and reads commands from its input:

    NAME pass            passes bytes on, also those that were held back
    NAME freeze          holds all bytes and new connections back, as a network that loses packets
    NAME reset           ends all connections with a reset, and each new one
    NAME delay SECONDS   passes each piece on that much later

It prints `done` after each command, and `ready` when it listens.
"""

import asyncio
import contextlib
import socket
import struct
import subprocess
import sys

RESET = struct.pack("ii", 1, 0)


class Link:
    def __init__(self, port, target):
        self.port, self.target = port, target
        self.delay, self.refuses = 0, False
        self.gate = asyncio.Event()
        self.gate.set()
        self.writers = set()

    def obey(self, command, seconds="0"):
        if command not in ("pass", "freeze", "reset", "delay"):
            raise ValueError(command)
        self.refuses = command == "reset"
        self.delay = float(seconds)
        if command == "freeze":
            self.gate.clear()
        else:
            self.gate.set()
        if self.refuses:
            for writer in self.writers:
                abort(writer)

    async def serve(self, reader, writer):
        self.writers.add(writer)
        other = None
        try:
            await self.gate.wait()
            if self.refuses:
                return abort(writer)
            answers, other = await asyncio.open_connection("127.0.0.1", self.target)
            self.writers.add(other)
            await asyncio.gather(self.pump(reader, other), self.pump(answers, writer))
        except OSError:
            abort(writer)
        finally:
            for end in (writer, other):
                if end:
                    self.writers.discard(end)
                    with contextlib.suppress(OSError):
                        end.close()

    async def pump(self, reader, writer):
        """Raises an error at the end of one direction, which then ends the other one."""
        while data := await reader.read(65536):
            if self.delay:
                await asyncio.sleep(self.delay)
            await self.gate.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError


def abort(writer):
    with contextlib.suppress(OSError, AttributeError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()


async def main(arguments):
    links = {}
    for argument in arguments:
        name, _, ports = argument.partition("=")
        port, target = map(int, ports.split(":"))
        links[name] = Link(port, target)
        await asyncio.start_server(links[name].serve, "127.0.0.1", port)
    print("ready", flush=True)
    loop, commands = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := (await commands.readline()).decode():
        name, *command = line.split()
        links[name].obey(*command)
        print("done", flush=True)


class Links:
    """The process, as the harness sees it."""

    def __init__(self, ports):
        """`ports`: for each name, the port to listen on and the port to connect to."""
        self.names = list(ports)
        self.process = subprocess.Popen(
            [sys.executable, __file__, *(f"{name}={port}:{target}" for name, (port, target) in ports.items())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n", "the links do not listen"

    def tell(self, names, *command):
        for name in names:
            print(name, *command, file=self.process.stdin, flush=True)
            assert self.process.stdout.readline() == "done\n", (name, command)

    def heal(self):
        self.tell(self.names, "pass")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
