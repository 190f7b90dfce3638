# SPDX-License-Identifier: BSD-3-Clause
"""Check of maint/validate: no patch removes or rewrites a line that a patch before it added."""
import re

import replaced
import tree as t

HUNK = re.compile(r"(?m)^@@ -(\d+)(?:,\d+)? .*\n((?:[-+ \\].*\n|\n)*)")


def place(hunk, start, lines):
    """Where the old side of a hunk stands, nearest to line `start`."""
    old = [line[1:] for line in hunk if line[0] != "+"]
    last = len(lines) - len(old)
    for away in range(max(start, len(lines)) + 1):
        for at in (start - away, start + away):
            if 0 <= at <= last and [text for text, _ in lines[at : at + len(old)]] == old:
                return at
    return None


def undone_by(patch, path, lines):
    """Applies a patch's hunks to lines, pairs of a text and the patch that added it.  Yields the
    pairs removed that a patch added."""
    grown = 0
    for start, body in HUNK.findall(patch.sections[path]):
        hunk = [line if line != "\n" else " \n" for line in body.splitlines(keepends=True)]
        hunk = [line for line in hunk if line[0] != "\\"]
        at = place(hunk, int(start) - 1 + grown, lines)
        if at is None:
            raise t.Failure(f"patches/{patch.name}: a hunk of {path} has no place")
        for line in hunk:
            if line[0] == "+":
                lines.insert(at, (line[1:], patch.name))
            if line[0] == "-":
                if lines[at][1]:
                    yield lines[at]
                del lines[at]
            else:
                at += 1
        grown += sum((line[0] == "+") - (line[0] == "-") for line in hunk)


def check_undone(upstream, patches):
    paths = {p for patch in patches for p in patch.sections}
    contents = {
        path: [
            (line, None)
            for line in (data or b"").decode("utf-8", "surrogateescape").splitlines(True)
        ]
        for path, data in upstream.files(paths).items()
    }
    for patch in patches:
        for path in patch.sections:
            patch.cut(path, contents[path], replaced.take_out, text=lambda line: line[0])
            for text, owner in undone_by(patch, path, contents[path]):
                yield f"patches/{patch.name} removes from {path} of patches/{owner}: {text.strip()}"


def check_numbers(listed):
    """The numbers of each folder's patches follow the order of the series."""
    last = {}
    for name in listed:
        folder, number = name.rsplit("/", 1)
        if number[:4] <= last.get(folder, ""):
            yield f"patches/series has {name} behind number {last[folder]} of its folder"
        last[folder] = number[:4]
