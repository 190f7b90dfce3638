# SPDX-License-Identifier: BSD-3-Clause
"""What maint/bench osu has measured: rows, compared launch by launch at one distance of the
cores."""
import bisect
import math
import statistics
from collections import defaultdict
from dataclasses import dataclass, field

import osu_programs as osu
from runs import clusters

OURS = "patched"
OTHERS = ("openmpi", "stock")  # the first one that is there is who the worst rows are against
IN_TIME = ("us", "pure-us")
# of the launches: what fewer had was no distance of cores, but another program on one of them
RARE = 0.02
TOGETHER, IN_A_ROW = "+barrier", "-in-a-row"


def distances(rows):
    """launch -> its distance in words: empty where none was measured, None where it changed or is
    rare.

    A distance is a cluster of what a line took in all launches, named by its median."""
    lines = {}
    for row in rows:
        if row["first_us"]:
            lines[launch_of(row)] = (float(row["first_us"]), float(row["last_us"]))
    starts = clusters(us for pair in lines.values() for us in pair)
    near = {one: {bisect.bisect(starts, us) for us in pair} for one, pair in lines.items()}
    inside = defaultdict(list)
    for one, found in near.items():
        if len(found) == 1:
            inside[min(found)] += lines[one]
    names = {
        k: f"{1e3 * statistics.median(us):.0f} ns"
        for k, us in inside.items()
        if len(us) >= RARE * len(lines)
    }
    return {launch_of(row): None if launch_of(row) in near else "" for row in rows} | {
        one: names.get(min(found)) for one, found in near.items() if len(found) == 1
    }


PLACE = ("source", "group", "window", "sync", "ranks")


def launch_of(row):
    program = row["program"] if row["source"] == "osu" else ""
    return (*(row[column] for column in PLACE), program, row["library"], row["launch"])


@dataclass
class Row:
    """One program with one size at one distance."""

    source: str
    group: str
    program: str
    window: str
    sync: str
    ranks: int
    is_crowded: bool  # more ranks than cores
    what: str
    bytes: int
    distance: str
    figures: dict = field(default_factory=lambda: defaultdict(list))  # library -> of its launches

    def median(self, library):
        return statistics.median(self.figures[library])

    def ratio(self, other):
        """Our time over the other's, also of rates; None where one is missing."""
        if OURS not in self.figures or other not in self.figures:
            return None
        ours, theirs = self.median(OURS), self.median(other)
        if ours <= 0 or theirs <= 0:
            return None
        return ours / theirs if self.what in IN_TIME else theirs / ours

    def kind(self):
        """The line of the table of means that it belongs to; None: to none of them."""
        if self.program.endswith(TOGETHER):
            return f"{self.group}, with the barrier behind"
        if self.program.endswith(IN_A_ROW):
            return f"{self.group}, in a row"
        # the barrier before it has a part of its time; ours have it in those of nonblocking ones
        has_barrier = self.source == "rows" and self.group == "nonblocking"
        if self.is_crowded and osu.is_rooted(self.program) and not has_barrier:
            return None
        if self.group == "one-sided":
            return f"one-sided, {self.window}, {self.sync}"
        if self.what == "pure-us":
            return f"{self.group}, without computation"
        return self.group

    def place(self):
        return f"{self.ranks} ranks" + (f", {self.distance}" if self.distance else "")


def collected(rows):
    """Row of each case, of the rows of the CSV."""
    distance_of, found = distances(rows), {}
    for row in rows:
        distance = distance_of[launch_of(row)]
        if row["what"] == "failed" or distance is None:
            continue
        case = (*(row[column] for column in PLACE), row["program"], row["what"], row["bytes"])
        if (case, distance) not in found:
            ranks = int(row["ranks"])
            found[case, distance] = Row(
                row["source"],
                row["group"],
                row["program"],
                row["window"],
                row["sync"],
                ranks,
                ranks > int(row["cores"]),
                row["what"],
                int(row["bytes"]),
                distance,
            )
        found[case, distance].figures[row["library"]].append(float(row["figure"]))
    return list(found.values())


def failures(rows):
    """(program or set, library), each once."""
    failed = [row for row in rows if row["what"] == "failed"]
    return list(
        dict.fromkeys(
            (
                " ".join(
                    filter(None, (row["program"] or row["group"], row["window"], row["sync"]))
                ),
                row["library"],
            )
            for row in failed
        )
    )


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def others(rows):
    """The libraries to compare with."""
    return [name for name in OTHERS if any(row.ratio(name) for row in rows)]


def by_kind(rows, other):
    """(source, kind, place) -> rows that have a ratio to the other library"""
    found = defaultdict(list)
    for row in rows:
        if row.kind() and row.ratio(other):
            found[row.source, row.kind(), row.place()].append(row)
    return found
