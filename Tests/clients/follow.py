"""Prints each message of a stream as a line of JSON.   follow.py URL TOKEN SILENCE LONGEST"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Examples/Clients"))
from changes import changes  # noqa: E402

url, token, silence, longest = sys.argv[1:]
for message in changes(url, token, silence=float(silence), longest=float(longest)):
    print(json.dumps(message), flush=True)
