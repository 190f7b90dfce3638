# SPDX-License-Identifier: BSD-3-Clause
"""The files of this repository, also of a copy without git."""
import os
from fnmatch import fnmatch
from pathlib import Path

import tree as t


def unignored_files():
    """The files that .gitignore does not name, for a copy without git."""
    lines = (t.ROOT / ".gitignore").read_text().splitlines()
    at_top = [line.strip("/") for line in lines if line.startswith("/")] + [".git"]
    anywhere = [line.strip("/") for line in lines if line and line[0] not in "/#"]

    def is_ours(path):
        return not any(fnmatch(path.as_posix(), pattern) for pattern in at_top) and not any(
            fnmatch(path.name, pattern) for pattern in anywhere
        )

    for folder, folders, files in os.walk(t.ROOT):
        here = Path(folder).relative_to(t.ROOT)
        folders[:] = [name for name in folders if is_ours(here / name)]
        yield from ((here / name).as_posix() for name in files if is_ours(here / name))


def listed():
    """What is tracked, or would be by the next git add, sorted."""
    listed = t.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = unignored_files() if listed is None else listed.split("\0")
    return sorted(n for n in set(names) if n and (t.ROOT / n).is_file())
