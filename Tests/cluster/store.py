"""Property 7: what the programs that check a store say of it."""

import subprocess

from checker import Violation
from postgres import USER, programs


def findings(commands):
    """A violation for each command that fails."""
    found = []
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd="/")
        if result.returncode:
            text = (result.stdout + result.stderr).strip()[-2000:]
            found.append(Violation(7, "store", f"{' '.join(map(str, command))}: {text}"))
    return found


def check_store(waypost, url):
    return findings([[waypost, "store", "check", "--store", url]])


def check_tables(port, database="waypost"):
    """`pg_amcheck`: each table's pages, and each index against its table."""
    return findings([[
        programs() / "pg_amcheck", "--install-missing", "--heapallindexed", "-h", "127.0.0.1", "-p", str(port),
        "-U", USER, "-d", database]])
