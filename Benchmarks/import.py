#!/usr/bin/env python3
"""Measure the processor time of the import of an Xcode storyboard.

    Benchmarks/import.py .build/release/waypost [--scenes 500]

A storyboard of many scenes, each with a button, a bar button item and segues to the next scene, is
imported several times. Printed: the least user time of one import, and that of a storyboard of one
scene, which is the cost of starting the program. Exits with 1 if the import takes 0.2 s or more.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS, LIMIT = 7, 0.2

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" version="3.0" \
toolsVersion="21507" targetRuntime="iOS.CocoaTouch" initialViewController="nav">
<scenes>
<scene sceneID="root"><objects><navigationController id="nav" sceneMemberID="viewController">
<connections><segue id="r" destination="v0" kind="relationship" \
relationship="rootViewController"/></connections></navigationController></objects></scene>
{}</scenes></document>
"""

SCENE = """<scene sceneID="s{0}"><objects>
<viewController id="v{0}" customClass="Scene{0}" sceneMemberID="viewController">
<view key="view" id="w{0}"><subviews><button id="b{0}"><state key="normal" title="Open {0}"/>
<connections><segue id="p{0}" destination="v{1}" kind="show"/></connections></button></subviews></view>
<navigationItem key="navigationItem" id="n{0}" title="Scene {0}">
<barButtonItem key="rightBarButtonItem" id="i{0}" title="More"><connections>
<segue id="m{0}" destination="v{1}" kind="presentation"/></connections></barButtonItem>
</navigationItem>
<connections><segue id="u{0}" destination="e{0}" kind="unwind" unwindAction="backToScene0:"/>
</connections></viewController><exit id="e{0}" sceneMemberID="exit"/></objects></scene>
"""


def user_time(waypost, folder, scenes):
    """Seconds of user time of the fastest import of a storyboard with this many scenes."""
    storyboard = Path(folder, "Main.storyboard")
    storyboard.write_text(DOCUMENT.format(
        "".join(SCENE.format(index, (index + 1) % scenes) for index in range(scenes))))
    times = []
    for _ in range(ROUNDS):
        before = os.times().children_user
        subprocess.run(
            [waypost, "import", storyboard, "-o", Path(folder, "App.json")], check=True,
            stderr=subprocess.DEVNULL)
        times.append(os.times().children_user - before)
    return min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("waypost")
    parser.add_argument("--scenes", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start = user_time(options.waypost, folder, 1)
        whole = user_time(options.waypost, folder, options.scenes)
    print(f"1 scene           {start:.2f} s")
    print(f"{options.scenes} scenes        {whole:.2f} s")
    return int(whole >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
