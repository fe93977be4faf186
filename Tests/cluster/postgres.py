"""PostgreSQL servers for tests: Debian's programs, run as ordinary processes in a temporary folder."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

USER = "waypost"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": 400,
    "shared_buffers": "64MB",
    # In the data folder, so that a killed server leaves nothing in /dev/shm.
    "dynamic_shared_memory_type": "mmap",
    "wal_log_hints": "on",  # pg_rewind needs it
    "wal_keep_size": "512MB",
    "max_wal_senders": 10,
    "wal_retrieve_retry_interval": "500ms",  # as in Docker/patroni.yml
    "log_min_messages": "warning",
    # A test that hangs shows who waits for whom.
    "log_lock_waits": "on",
}


def programs():
    """The folder with the programs of the newest PostgreSQL that is installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not folders:
        raise SystemExit("PostgreSQL is missing: apt-get install postgresql")
    return folders[-1].parent


FIRST_PORT = 11_000 + os.getpid() * 61 % 20_000
PORTS = iter([*range(FIRST_PORT, 31_000), *range(11_000, FIRST_PORT)])


def free_port():
    """A port that nothing listens on, below those that the system gives to outgoing connections: one of
    them could take the port before its server does. The process numbers the ports from a start of its own."""
    for port in PORTS:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise RuntimeError("no port is free")


def account():
    """The user that the servers run as: PostgreSQL refuses root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise SystemExit("no user postgres and no user nobody to run PostgreSQL as")


def unprivileged(command):
    """The same command, for a user that PostgreSQL accepts."""
    if (user := account()) is None:
        return command
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]


class Postgres:
    """One server, with its data in `folder`/`name`."""

    def __init__(self, folder, name, **settings):
        self.name, self.port = name, free_port()
        self.folder = Path(folder, name)
        self.folder.mkdir()
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.settings = SETTINGS | settings
        self.settings.setdefault("synchronous_standby_names", "")
        self.process = None
        if (user := account()) is not None:
            os.chown(self.folder, user.pw_uid, user.pw_gid)

    # Programs

    def run(self, program, *arguments, timeout=120):
        """Runs one of PostgreSQL's programs and returns what it prints; raises where it fails."""
        command = unprivileged([str(programs() / program), *map(str, arguments)])
        # From a folder that the user may read; without the settings of whoever runs the tests.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd="/", env=environment)
        if result.returncode:
            raise RuntimeError(f"{program} of {self.name}: {result.stderr.strip() or result.stdout.strip()}")
        return result.stdout.strip()

    def query(self, statement, database="postgres", port=None, timeout=30):
        """The answer to one statement, as text: a row a line, columns between bars."""
        return self.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement,
                        f"host=127.0.0.1 port={port or self.port} user={USER} dbname={database}"
                        f" connect_timeout=5 application_name=harness", timeout=timeout)

    # A server's life

    def create(self):
        """Makes an empty server. It does not run yet."""
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", USER, "-E", "UTF8", "--no-locale", "-N")
        return self

    def copy(self, port):
        """Makes this server a copy of the one at `port`, to be started as its standby."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", self.data, "-X", "stream", "-c", "fast",
                 "-d", f"host=127.0.0.1 port={port} user={USER}")
        return self

    def rewind(self, port):
        """Takes back what this server, which has ended, did beside the one at `port`."""
        self.run("pg_rewind", "--target-pgdata", self.data, "--no-sync",
                 f"--source-server=host=127.0.0.1 port={port} user={USER} dbname=postgres")

    def start(self, follows=None):
        """Starts the server: as the standby of the one at the port `follows`, or as a primary."""
        signal_file = self.data / "standby.signal"
        signal_file.unlink(missing_ok=True)
        settings = self.settings | {"port": self.port, "unix_socket_directories": self.folder}
        if follows:
            self.write(signal_file, "")
            settings["primary_conninfo"] = (
                f"host=127.0.0.1 port={follows} user={USER} application_name={self.name} connect_timeout=2")
        self.write(self.data / "postgresql.auto.conf", "".join(
            f"{name} = '{value}'\n" for name, value in settings.items()))
        deadline = time.monotonic() + 30
        while True:
            size = self.log.stat().st_size if self.log.exists() else 0
            with open(self.log, "a") as log:
                self.process = subprocess.Popen(
                    unprivileged([str(programs() / "postgres"), "-D", str(self.data)]),
                    stdout=log, stderr=log, cwd="/")
            try:
                self.wait_until(lambda: self.query("SELECT 1") == "1", "answers")
                return self
            except RuntimeError:
                # A process that the server began just before it was killed ends a moment after it.
                is_early = "pre-existing shared memory" in self.log.read_text()[size:]
                if not is_early or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def write(self, path, text):
        path.write_text(text)
        if (user := account()) is not None:
            os.chown(path, user.pw_uid, user.pw_gid)

    def set(self, **settings):
        """Changes settings of the running server."""
        self.settings |= settings
        for name, value in settings.items():
            self.query(f"ALTER SYSTEM SET {name} = '{value}'")
        self.query("SELECT pg_reload_conf()")
        for name, value in settings.items():
            self.wait_until(lambda: self.query(f"SHOW {name}") == str(value), f"has {name} {value}")

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.data)

    def stop(self):
        """Ends the server in an orderly way, if it runs."""
        if self.process is None:
            return
        self.go_on()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self):
        """Ends all processes of the server at once, without a chance to write anything."""
        if self.process is None:
            return
        for process in self.pause():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def pause(self):
        """Stops all processes of the server where they are; returns their ids."""
        # The first one first: it can then start no others.
        os.kill(self.process.pid, signal.SIGSTOP)
        processes = [*self.children(), self.process.pid]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
        return processes

    def go_on(self):
        for process in [*self.children(), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)

    def children(self):
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # The name, in parentheses, may hold blanks.
                parent = status.read_text().rpartition(")")[2].split()[1]
                if int(parent) == self.process.pid:
                    found.append(int(status.parts[2]))
        return found

    def wait_until(self, condition, what, seconds=60):
        """Returns when the condition holds; it may fail with an error until then."""
        deadline = time.monotonic() + seconds
        while True:
            failure = ""
            try:
                if condition():
                    return
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failure = error
            if self.process is None or self.process.poll() is not None or time.monotonic() > deadline:
                log = self.log.read_text()[-2000:] if self.log.exists() else ""
                raise RuntimeError(f"PostgreSQL {self.name} never {what}: {failure}\n{log}")
            time.sleep(0.05)

    def url(self, database="waypost"):
        return f"postgres://{USER}@127.0.0.1:{self.port}/{database}"
