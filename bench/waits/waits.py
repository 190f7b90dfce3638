#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an origin waits for a target that computes, how much of a communication is hidden, and how
long tasks take that are numbers of a counter.

This library with MPIR_CVAR_PROGRESS_EVENTS=off, auto and on, and Open MPI where it is installed,
take turns, in a node (MPI_Win_create) and on two hosts (maint/hosts; needs root).  The processes
need a core each, and a helper a moment of one: on two busy cores the figures are those of the
scheduler.

Writes bench/results/e11_waits.csv: place,library,operations,case,median,least, in ms ("waits") or
in percent ("hidden").  The median is that of the runs' medians; the least time is that of all
repeats, and of percents that of the least times of the run that hid most.  "tasks" are ratios to
the time without waits."""
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import page  # noqa: E402
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import ROOT, add_builds, add_quick, find_builds, take_turns, write_rows  # noqa: E402

COLUMNS = "place,library,operations,case,median,least".split(",")
OPERATIONS = {"waits": 100, "hidden": 10, "tasks": 4}  # ms that are computed
UNITS = {
    "waits": "ms that the origin waits",
    "hidden": "percent hidden",
    "tasks": "time over that without waits",
}
VALUES = ("off", "auto", "on")


def libraries(patched):
    found = []
    for value in VALUES:
        found.append(patched.with_env({"MPIR_CVAR_PROGRESS_EVENTS": value}))
        found[-1].name = value
    if OpenMPI.present():
        found.append(OpenMPI("waits"))
    return found


def measure(builds, operations, a, label):
    """library -> case -> [(median, least)], one a round."""

    def run(build):
        lines = build.lines(2, [operations, OPERATIONS[operations], a.repeats], a.timeout)
        return {case: (float(median), float(least)) for case, median, least in lines}

    return take_turns(builds, a.rounds, run, label)


def summary(operations, figures):
    """(median, least)"""
    medians, least = zip(*figures)
    return statistics.median(medians), (max if operations == "hidden" else min)(least)


def table_of(operations, found):
    rows = []
    for case in next(iter(found.values())):
        figures = [summary(operations, cases[case]) for cases in found.values()]
        rows.append([case, *(f"{median:.2f} ({least:.2f})" for median, least in figures)])
    return page.table(["operation", *found], rows)


def csv_rows(measured):
    for (place, operations), found in measured.items():
        for name, cases in found.items():
            for case, figures in cases.items():
                median, least = summary(operations, figures)
                yield [place, name, operations, case, f"{median:.3f}", f"{least:.3f}"]


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench waits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("--places", default="node,hosts", help="(default node,hosts)")
    ap.add_argument("--repeats", type=int, default=9, help="in a run (default 9)")
    ap.add_argument("--rounds", type=int, default=3, help="(default 3)")
    ap.add_argument("--timeout", type=int, default=300, help="of a run, in seconds (default 300)")
    add_quick(ap, "one round of 5 repeats: under two minutes", rounds=1, repeats=5)
    add_builds(ap)
    ap.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    return ap.parse_args()


def main():
    a = arguments()
    builds = libraries(find_builds("waits", a.stock, a.patched)[2])
    for build in builds:
        build.compile()
    measured = {}
    for place in a.places.split(","):
        if place == "node":
            for operations in OPERATIONS:
                measured[place, operations] = measure(builds, operations, a, place)
        elif may_start("waits"):
            with hosts_up(2):
                there = [on_hosts(build) for build in builds]
                for operations in OPERATIONS:
                    measured[place, operations] = measure(there, operations, a, place)
    write_rows(a.results / "e11_waits.csv", csv_rows(measured), COLUMNS)
    for (place, operations), found in measured.items():
        print(f"\n{place}, {UNITS[operations]}: medians (least)\n\n{table_of(operations, found)}")


if __name__ == "__main__":
    main()
