# SPDX-License-Identifier: BSD-3-Clause
"""What of MPICH's text files of ours replace: patches/replaced.txt.

A patch takes the functions that the list names for it out of the tree before its hunks apply, so
that no patch holds the text that goes.  If MPICH changes such a function or file, the list's hash
is no longer that of its text, and maint/apply stops: ours may need the same change."""
import hashlib
import re
from collections import namedtuple

WHOLE = "-"  # a file of the overlay with a path of MPICH's: no patch, no function

Entry = namedtuple("Entry", "patch path function hash ours")


def parse(text):
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return [Entry(*words) for words in lines if words]


def start_of_comment(lines, behind):
    """The first line of the comment that ends in the line above, or `behind` without one."""
    if behind == 0 or not lines[behind - 1].rstrip().endswith("*/"):
        return behind
    first = behind - 1
    while first > 0 and "/*" not in lines[first]:
        first -= 1
    return first if lines[first].lstrip().startswith("/*") else behind


def spans(lines, function):
    """[first, behind the last) of its definition, with the comment above and one empty line."""
    head = re.compile(rf"\w[\w\s*]*\b{function}\(")
    for first, line in enumerate(lines):
        if not head.match(line):
            continue
        body = first
        while body < len(lines) and lines[body].strip() != "{" and ";" not in lines[body]:
            body += 1
        if body == len(lines) or ";" in lines[body]:
            continue  # a declaration
        end = next(i for i in range(body, len(lines)) if lines[i].startswith("}")) + 1
        first = start_of_comment(lines, first)
        if end < len(lines) and not lines[end].strip():
            end += 1
        return first, end
    return None


def text_of(data, function):
    """Of a function in a file, or of the file; None where there is none."""
    if data is None or function == WHOLE:
        return data
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    found = spans(lines, function)
    return "".join(lines[slice(*found)]).encode("utf-8", "surrogateescape") if found else None


def cut(data, functions):
    """A file without these functions."""
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    for function in functions:
        found = spans(lines, function)
        if not found:
            raise LookupError(f"there is no {function}")
        del lines[slice(*found)]
    return "".join(lines).encode("utf-8", "surrogateescape")


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def differences(entries, contents):
    """Entries whose text in MPICH is not the one that ours was written for."""
    for e in entries:
        what = e.path if e.function == WHOLE else f"{e.function} in {e.path}"
        text = text_of(contents[e.path], e.function)
        if text is None:
            yield f"MPICH has no {what}; patches/replaced.txt says that {e.ours} replaces it"
        elif short_hash(text) != e.hash:
            yield (
                f"MPICH's {what} is not the one that {e.ours} replaces: its hash is {short_hash(text)}, "
                f"in patches/replaced.txt {e.hash}. Read what MPICH changed, change {e.ours} "
                "likewise if it has to, then correct the hash"
            )
