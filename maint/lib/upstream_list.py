# SPDX-License-Identifier: BSD-3-Clause
"""What became of MPICH's commits after 4.0.2: those that a patch's "Upstream:" names are mended
here, the others that mend something are in patches/upstream.txt.

A line of that file is a hash, a state (STATES) and a reason.  The line "read until DATE" says up to
where MPICH's history has been read.
"""
import re

import tree as t

FILE = t.PATCHES / "upstream.txt"
STATES = {
    "absent": "the fault cannot occur here",
    "open": "the fault is here",
    "small": "speed or convenience that is not taken over",
}
HASH = re.compile(r"\b[0-9a-f]{7,10}\b")


def mended():
    """hash -> names of patches, in the order of the series"""
    found = {}
    for patch in t.series():
        for commit in HASH.findall(patch.part("Upstream")):
            found.setdefault(commit, []).append(patch.name)
    return found


def rows():
    """(hash, state, reason) of each line"""
    for line in FILE.read_text().splitlines():
        if line and not line.startswith(("#", "read until ")):
            commit, state, reason = line.split(None, 2)
            yield commit, state, reason


def read_until():
    return re.search(r"(?m)^read until (\S+)$", FILE.read_text())[1]


def known():
    return {*mended(), *(commit for commit, _, _ in rows())}


def changed_here():
    """Files of MPICH that patches or overlay change"""
    touched = {path for patch in t.series() for path in patch.paths}
    return touched | set(t.overlay())


def wrong():
    """What is wrong with the list, in lines"""
    mends, seen = mended(), set()
    for commit, state, _ in rows():
        if not HASH.fullmatch(commit) or state not in STATES:
            yield f"{FILE.name}: {commit} {state}: a hash and one of {', '.join(STATES)} are wanted"
        if commit in seen:
            yield f"{FILE.name}: {commit} stands there twice"
        if commit in mends:
            yield f"{FILE.name}: {commit} is mended by {mends[commit][0]}"
        seen.add(commit)
