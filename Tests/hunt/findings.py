"""What the hunters found: each defect once, with the way to see it again."""

import sys


class Findings:
    def __init__(self):
        self.found = {}

    def add(self, part, name, text, reproduction=None):
        """
        - name: of the rule that was broken; the same rule is reported once.
        - reproduction: the lines that lead there.
        """
        if name in self.found:
            self.found[name] += 1
            return
        self.found[name] = 1
        print(f"FAIL {part}: {name}: {text}", file=sys.stderr)
        for line in reproduction or []:
            print(f"    {line}", file=sys.stderr)
        sys.stderr.flush()

    def __contains__(self, name):
        return name in self.found

    def summary(self):
        again = sum(self.found.values()) - len(self.found)
        return f"{len(self.found)} defects" + (f", {again} more like them" if again else "")
