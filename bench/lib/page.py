# SPDX-License-Identifier: BSD-3-Clause
"""Tables of doc/measurements/*.md, and what must be shown."""
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


def renewed(old, new):
    """A table with the rows of a new one: in the place of those that have the same first cell,
    and behind the others."""
    head, rule, *rows = new.splitlines()
    rows = {row.split("|")[1]: row for row in rows}
    kept = [rows.pop(row.split("|")[1], row) for row in old.splitlines()[2:]]
    return "\n".join([head, rule, *kept, *rows.values()])


def put(page, prefix, made, shown=None, whole=True):
    """Replaces what is between the markers <!-- PREFIX:NAME --> and <!-- /PREFIX:NAME --> of a
    page.  What must be shown is PREFIX:shown; when not the whole was measured its other rows
    stay."""
    text = page.read_text()
    if shown:
        made = {**made, "shown": shown.table()}
    for name, body in made.items():
        pattern = re.compile(rf"(<!-- {prefix}:{name} -->\n)(.*?)(<!-- /{prefix}:{name} -->)", re.S)
        old = pattern.search(text)
        if not old:
            raise SystemExit(f"{page} has no markers {prefix}:{name}")
        body = body if whole or name != "shown" else renewed(old[2], body)
        text = pattern.sub(lambda match: match[1] + body + "\n" + match[3], text)
    page.write_text(text)
    print("wrote", page)
