# SPDX-License-Identifier: BSD-3-Clause
"""Tables of doc/evaluation.md, and what must be shown."""
import re


def figure(x):
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.4g}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


class Shown:
    """What must be shown: [what, figure, wanted, verdict]; met, missed, or only reported."""

    def __init__(self):
        self.lines = []

    def add(self, what, text, wanted, met):
        self.lines.append((what, text, wanted, "met" if met else "missed"))

    def report(self, what, text):
        self.lines.append((what, text, "", "reported"))

    def at_most(self, what, got, limit):
        self.add(what, figure(got), f"<= {figure(limit)}", got <= limit)

    def table(self):
        return table(["what", "figure", "wanted", ""], [list(line) for line in self.lines])

    def print(self):
        print("\nMust show")
        for what, text, wanted, verdict in self.lines:
            print(f"  {verdict:8} {what}: {text}" + (f" (wanted {wanted})" if wanted else ""))


def put(page, prefix, made):
    """Replaces what is between the markers <!-- PREFIX:NAME --> and <!-- /PREFIX:NAME --> of a page."""
    text = page.read_text()
    for name, body in made.items():
        pattern = re.compile(rf"(<!-- {prefix}:{name} -->\n).*?(<!-- /{prefix}:{name} -->)", re.S)
        if not pattern.search(text):
            raise SystemExit(f"{page} has no markers {prefix}:{name}")
        text = pattern.sub(lambda match: match[1] + body + "\n" + match[2], text)
    page.write_text(text)
    print("wrote", page)
