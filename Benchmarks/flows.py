#!/usr/bin/env python3
"""Measures `waypost test`.   flows.py WAYPOST

- steps: flows of 10 steps in one process, by the time that their run takes without reading the files,
- cold: `waypost test` of 500 flows in 500 files, from the start of the process to its end.

A second of processor time says more than a second of the clock where other programs run on the machine.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLOW = """\
name: Flow {number}
app: {app}
steps:
  - expect: {{ title: Bookshop, tab: Shop }}
  - select-row: Novels
  - expect: {{ title: Novels, back: Shop }}
  - select-row: Middlemarch
  - expect: {{ stack: [Bookshop, Novels, Middlemarch], transition: push }}
  - back
  - expect: {{ popped: [Middlemarch] }}
  - tap-tab: Basket
  - open: /genres/novels
  - expect: {{ bottomBar: 2 books }}
"""


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(*command):
    """Returns the time from start to end, the processor time, and the output."""
    start, used = time.monotonic(), processor_time()
    process = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout[-2000:] + process.stderr
    return time.monotonic() - start, processor_time() - used, process.stdout


def show(what, numbers, unit):
    print(f"{what}: {statistics.median(numbers):,.3g} {unit} "
          f"({min(numbers):,.3g} to {max(numbers):,.3g})", flush=True)


def main(waypost):
    app = ROOT / "Examples/Bookshop/Bookshop.json"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        flows = [FLOW.format(number=number, app=app) for number in range(2_000)]
        (folder / "all.yaml").write_text("---\n".join(flows))
        rates, costs = [], []
        for _ in range(5):
            report = folder / "report.json"
            _, used, _ = run(waypost, "test", folder / "all.yaml", "--report", f"json={report}")
            rates.append(10 * len(flows) / json.loads(report.read_text())["seconds"])
            costs.append(10 * len(flows) / used)
        show("steps", rates, "a second of the run")
        show("steps", costs, "a second of processor time, with reading and reports")
        (folder / "cold").mkdir()
        for number, flow in enumerate(flows[:500]):
            (folder / "cold" / f"{number}.yaml").write_text(flow)
        runs = [run(waypost, "test", folder / "cold") for _ in range(5)]
        show("500 flows from a cold start", [run[0] for run in runs], "s")
        show("500 flows from a cold start", [run[1] for run in runs], "s of processor time")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
