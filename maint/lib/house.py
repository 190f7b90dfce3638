# SPDX-License-Identifier: BSD-3-Clause
"""Checks of maint/validate on how sources and commits are written."""
import re

import tree as t

COLUMNS = 100
# Where lines are narrow.  Not data, tables of tests, and recipes, of which each line is a command.
NARROW = ("src/", "test/", "bench/", "maint/")
NO_SOURCE = re.compile(r"\.(txt|ours|json|mk)$|(^|/)(Makefile|stock_exports)$")
C = re.compile(r"\.(c|h|cpp|hpp)$")
# How many wide lines some files still have; the numbers only fall.
STILL_WIDE = t.ROOT / "maint" / "lib" / "wide_lines.txt"

SUBJECT = re.compile(r"[\w./+-]+(, [\w./+-]+)*: \S.*[^.\s]")
MOST_OF_SUBJECT = 72
BEGIN = "maint/lib/house.py"  # the commit that adds this file is the last one that is not checked


# Outside C a message may stay in one piece, so that it can be found.
MESSAGE = re.compile(r"""[frb]*("[^"]{40,}"|'[^']{40,}')""")


def is_wide(name, line):
    if len(line.expandtabs(8)) <= COLUMNS:
        return False
    begins = [] if C.search(name) else [m.start() for m in MESSAGE.finditer(line)]
    return not any(start < COLUMNS for start in begins)


def wide_lines(name):
    text = (t.ROOT / name).read_text(errors="replace")
    return [n for n, line in enumerate(text.splitlines(), 1) if is_wide(name, line)]


def check_columns(files):
    """No line of our sources has more than 100 columns."""
    rows = (line.split() for line in STILL_WIDE.read_text().splitlines() if line[:1] != "#")
    allowed = {name: int(count) for count, name in rows}
    for name in files:
        if not name.startswith(NARROW) or NO_SOURCE.search(name):
            continue
        wide, most = wide_lines(name), allowed.pop(name, 0)
        if len(wide) > most:
            yield f"{name}: {len(wide)} lines of more than {COLUMNS} columns, such as {wide[-1]}"
        elif len(wide) < most:
            yield f"{name}: {len(wide)} wide lines are left; say so in maint/lib/wide_lines.txt"
    yield from (f"maint/lib/wide_lines.txt: there is no {name}" for name in allowed)


def commits():
    """(hash, subject, body) of those that were written since the check is there."""
    begin = (t.git("log", "--diff-filter=A", "--format=%H %at", "--", BEGIN) or "").split()
    if not begin:
        return
    said = t.git("log", "--no-merges", "--format=%h%x00%at%x00%s%x00%b%x01", f"{begin[-2]}..HEAD")
    for one in filter(None, map(str.strip, said.split("\1"))):
        short, when, subject, body = one.split("\0")
        if int(when) > int(begin[-1]):
            yield short, subject, body


def wrong_with(subject, body):
    if len(subject) > MOST_OF_SUBJECT:
        yield f"its subject has {len(subject)} characters, more than {MOST_OF_SUBJECT}"
    if not SUBJECT.fullmatch(subject):
        yield f"its subject is not \"area: what changes\": {subject}"
    if not body.strip():
        yield "it has no body, which gives the reason"


def check_commits():
    """doc/contributing/commit_messages.md"""
    for short, subject, body in commits():
        yield from (f"commit {short}: {wrong}" for wrong in wrong_with(subject, body))
