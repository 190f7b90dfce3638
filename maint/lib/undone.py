# SPDX-License-Identifier: BSD-3-Clause
"""Check of maint/validate: no patch removes or rewrites a line that a patch before it added."""
import re

import tree as t

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@\n((?:[-+\\\\].*\n)*)")


def undone_by(text, owners, name):
    """Makes a difference without context in `owners`: path -> for each line the patch that added
    it.  Yields (path, owner, text) of the lines removed that a patch added."""
    for section in t.sections_of(text)[1:]:
        path = t.path_of(section)
        for first, old, new, body in reversed(HUNK.findall(section)):
            old, new = int(old or 1), int(new or 1)
            at = int(first) - 1 + (old == 0)
            removed = zip(owners[path][at : at + old], body.splitlines())
            yield from ((path, owner, line[1:].strip()) for owner, line in removed if owner)
            owners[path][at : at + old] = [name] * new


def check_undone(tree, patches, tip):
    commits = tree.commits(tip)
    upstream = tree.files(t.UPSTREAM, {path for patch in patches for path in patch.paths})
    owners = {path: [None] * data.count(b"\n") for path, data in upstream.items()}
    texts = tree.texts([commit for commit, _ in commits], "-U0")
    for commit, message in commits:
        name = message.rsplit(maxsplit=1)[1]
        for path, owner, line in undone_by(texts[commit], owners, name):
            if not message.startswith("Cut "):
                yield f"patches/{name} removes from {path} of patches/{owner}: {line}"


def check_numbers(listed):
    """The numbers of each folder's patches follow the order of the series."""
    last = {}
    for name in listed:
        folder, number = name.rsplit("/", 1)
        if number[:4] <= last.get(folder, ""):
            yield f"patches/series has {name} behind number {last[folder]} of its folder"
        last[folder] = number[:4]
