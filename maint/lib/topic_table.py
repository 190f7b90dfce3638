# SPDX-License-Identifier: BSD-3-Clause
"""The topics of patches/series: what each needs, and which patches and files of ours it has.

A line "# topic NAME" begins one; lines "# needs: NAME, NAME" and "# files: START ..." follow, where
a file of ours belongs to the topic whose START is the first characters of its path.  The patches up
to the next topic are its own.  What no topic has is in every tree: the patches of fix/ and test/,
and all other files."""
import re
from dataclasses import dataclass, field

import repository
import tree as t

ALWAYS = ("fix/", "test/")


@dataclass
class Topic:
    name: str
    needs: list = field(default_factory=list)
    files: list = field(default_factory=list)
    patches: list = field(default_factory=list)


def parse(text):
    """name -> Topic, in their order."""
    found, last = {}, None
    for line in text.splitlines():
        if begins := re.fullmatch(r"# topic ([\w-]+)", line):
            if begins[1] in found:
                raise t.Failure(f"patches/series has the topic {begins[1]} twice")
            last = found[begins[1]] = Topic(begins[1])
        elif last and (has := re.fullmatch(r"# (needs|files): (.*)", line)):
            getattr(last, has[1]).extend(re.split(r"[, ]+", has[2]))
        elif last and (name := line.split("#")[0].strip()) and not name.startswith(ALWAYS):
            last.patches.append(name)
    return found


def table():
    return parse((t.PATCHES / "series").read_text())


def with_needs(topics, names):
    """The names, and those of all topics that they need."""
    wanted, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in topics:
            raise t.Failure(f"there is no topic {name}; patches/series has {', '.join(topics)}")
        if name not in wanted:
            wanted.add(name)
            left += topics[name].needs
    return wanted


def left_out(names):
    """The topics without which a tree of these is made."""
    topics = table()
    wanted = with_needs(topics, names)
    return [topic for name, topic in topics.items() if name not in wanted]


def without(topics):
    """How our files know that these are left out, for the compiler."""
    return [f"-DMPIR_WITHOUT_{topic.name.replace('-', '_').upper()}" for topic in topics]


def defines(names):
    """The same of all topics without which a tree of these is made."""
    return without(left_out(names))


def ingredients(names):
    """(patches, overlay) of a tree with these topics and what they need.  The tests of ours are
    those of a whole tree, and not in it."""
    out = left_out(names)
    lost = {patch for topic in out for patch in topic.patches}
    starts = tuple(start for topic in out for start in topic.files) + ("test/mpi/",)
    patches = [p for p in t.series() if p.name not in lost]
    return patches, {p: f for p, f in t.overlay().items() if not p.startswith(starts)}


class Tree(repository.Tree):
    """mpich/ with these topics and what they need, in a folder of its own."""

    def __init__(self, names, folder):
        super().__init__("patched")
        self.variant, self.topics = "topics", names
        self.dir = t.ROOT / folder

    def ingredients(self):
        return ingredients(self.topics)


def check(tree):
    """What is wrong with the table: for maint/validate."""
    topics = table()
    seen = set()
    for topic in topics.values():
        yield from (
            f"patches/series: the topic {topic.name} needs {name}, which is no topic before it"
            for name in topic.needs
            if name not in seen
        )
        seen.add(topic.name)
        ours = t.overlay()
        yield from (
            f"patches/series: no file of ours begins with {start} (topic {topic.name})"
            for start in topic.files
            if not any(path.startswith(start) for path in ours)
        )
    listed = {patch for topic in topics.values() for patch in topic.patches}
    yield from (
        f"{name} belongs to no topic of patches/series"
        for name in t.names_in("series")
        if name not in listed and not name.startswith(ALWAYS)
    )
    known = tree.known_steps(repository.MADE)
    for name in topics:
        patches, _ = ingredients([name])
        try:
            tree.commit_patches(patches, known)
        except t.Failure as e:
            yield f"the topic {name} alone, with what it needs: {e}"
