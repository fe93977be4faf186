"""How much a SQLite store holds, read from its files while the service has them open."""

import os
import struct


def live_bytes(path):
    """The pages that are in use, in bytes: without free pages and without the log's older versions of pages."""
    with open(path, "rb") as file:
        head = file.read(100)
    pages, _, free = struct.unpack(">III", head[28:40])
    size = struct.unpack(">H", head[16:18])[0]
    for count, first in committed(path + "-wal"):
        pages = count
        if first:
            free = struct.unpack(">I", first[36:40])[0]
    return (pages - free) * size


def committed(path):
    """The transactions of a write-ahead log: for each, how many pages the database then has, and the first 100 bytes
    of the database if they were written. The format: https://sqlite.org/fileformat2.html#walformat"""
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        head = file.read(32)
        if len(head) < 32:
            return
        size, salts = struct.unpack(">I", head[8:12])[0], head[16:24]
        first = None
        while len(frame := file.read(24)) == 24 and frame[8:16] == salts:
            number, count = struct.unpack(">II", frame[:8])
            page = file.read(size)
            if number == 1:
                first = page[:100]
            if count:
                yield count, first
                first = None
