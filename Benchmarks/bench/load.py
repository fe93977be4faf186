"""The two load generators: wrk for throughput, and our own for latencies and fairness."""

import json
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .client import WrongAnswer

MANY_REQUESTS = 10_000
CYCLE = Path(__file__).with_name("cycle.lua")


@dataclass(frozen=True)
class Throughput:
    """What wrk counted.

    `client_cpu` is the share of a core that it needed itself; None where making the requests,
    before the clock starts, would be most of it.
    """
    rate: float
    answers: int
    client_cpu: float | None


def run_wrk(url, requests, connections, seconds, first=0):
    """Sends `requests` over and over, from number `first` on.

    - Raises `WrongAnswer` for any answer that is not 2xx, and for any lost connection.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".requests") as file:
        for request in requests:
            fields = (request.method, request.path, request.token or "", request.body or "")
            print(*fields, sep="\t", file=file)
        file.flush()
        before = _children_cpu()
        # One thread: on two cores, a second one would only take the server's.
        process = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", CYCLE, url, "--", file.name,
             str(first)], capture_output=True, text=True)
    output = process.stdout + process.stderr
    if process.returncode != 0 or "Non-2xx" in output or "Socket errors" in output:
        raise WrongAnswer(f"{url}: {output}")
    counted = re.search(r"(\d+) requests in ([\d.]+)s", output)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    cpu = (_children_cpu() - before) / float(counted[2])
    return Throughput(rate, int(counted[1]), cpu if len(requests) < MANY_REQUESTS else None)


def _children_cpu():
    """CPU time of the processes that have ended; the servers run on."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Paced:
    """What our own generator measured; latencies in microseconds, see load/load.c."""
    answers: int
    rate: float
    least: int
    most: int
    p50: float
    p99: float
    p999: float
    max: float


def run_load(binary, server, groups, connections, seconds, rate=0):
    """Connection k sends the requests of group k modulo their number, over and over.

    - Parameter rate: requests a second over all connections; 0 for as many as are answered.
    """
    with tempfile.NamedTemporaryFile("wb", suffix=".requests") as file:
        for group in groups:
            file.write(f"group {len(group)}\n".encode())
            for request in group:
                encoded = request.encoded()
                file.write(f"{len(encoded)}\n".encode() + encoded + b"\n")
        file.flush()
        process = subprocess.run(
            [binary, str(server.port), str(connections), str(seconds), str(rate), file.name],
            capture_output=True, text=True)
    if process.returncode != 0:
        raise WrongAnswer(f"{server.url}: {process.stderr}")
    return Paced(**json.loads(process.stdout))
