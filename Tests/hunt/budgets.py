"""Requests of at most 1 KiB to every route: bytes answered, bytes kept and processor time (Tests/budgets/table.py)."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "budgets"))
import driver

PART = "budgets"


def hunt(waypost, folder, findings, seconds, build="debug", **_):
    costs = []
    for text in driver.hold(waypost, folder, build, costs.append):
        findings.add(PART, text.partition(":")[0], text.partition(": ")[2])
    print(f"budgets: {len({cost.row.route for cost in costs})} routes, {len(costs)} costs held")
