#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a death costs those that are left: to learn of it, to revoke, to agree and to shrink.

This library (mpiexec --enable-recovery) and Open MPI where it is installed (--with-ft ulfm) take
turns, all ranks on this machine.  In each run some ranks die, one after the other.  The time of a
step is that of the slowest member.

Writes bench/results/e12_repair.csv: ranks,library,case,median,least, in us.  The median is that of
the runs' medians, the least time that of all deaths."""
import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import page  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import ROOT, Build, add_quick, numbers, take_turns, write_rows  # noqa: E402

COLUMNS = "ranks,library,case,median,least".split(",")


def libraries(prefix):
    ours = Build("patched", prefix, "repair", {"UCX_LOG_LEVEL": "fatal"})
    ours.mpiexec.append("--enable-recovery")
    found = [ours]
    if OpenMPI.present():
        found.append(OpenMPI("repair"))
        found[-1].mpiexec += ["--with-ft", "ulfm"]
    return found


def measure(builds, ranks, a, memory):
    """library -> case -> [(median, least)], one a round."""

    def run(build):
        lines = build.lines(ranks, [memory, min(a.deaths, ranks - 2)], a.timeout)
        return {case: (float(median), float(least)) for case, median, least in lines}

    return take_turns(builds, a.rounds, run, f"{ranks} ranks")


def summary(figures):
    medians, least = zip(*figures)
    return statistics.median(medians), min(least)


def table_of(measured):
    rows = []
    for ranks, found in measured.items():
        for case in found["patched"]:
            figures = [summary(cases[case]) for cases in found.values()]
            ratio = f"{figures[0][0] / figures[1][0]:.2f}" if len(figures) > 1 else ""
            rows.append(
                [str(ranks), case, *(f"{m:.0f} ({least:.0f})" for m, least in figures), ratio]
            )
    names = list(next(iter(measured.values())))
    return page.table(["ranks", "step", *names, "ratio"], rows)


def csv_rows(measured):
    for ranks, found in measured.items():
        for name, cases in found.items():
            for case, figures in cases.items():
                median, least = summary(figures)
                yield [ranks, name, case, f"{median:.1f}", f"{least:.1f}"]


def arguments():
    parser = argparse.ArgumentParser(
        prog="maint/bench repair",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ranks", default="8,32,128", help="(default 8,32,128)")
    parser.add_argument("--deaths", type=int, default=3, help="in a run (default 3)")
    parser.add_argument("--rounds", type=int, default=5, help="(default 5)")
    parser.add_argument("--timeout", type=int, default=120, help="of a run, in seconds")
    add_quick(parser, "one round of 8 and 32 ranks", rounds=1, ranks="8,32")
    parser.add_argument(
        "--patched", default=os.environ.get("CMAP_INSTALL", ROOT / "install"), metavar="PREFIX"
    )
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    return parser.parse_args()


def main():
    a = arguments()
    builds = libraries(a.patched)
    for build in builds:
        build.compile()
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "clock"
        measured = {n: measure(builds, n, a, memory) for n in numbers(a.ranks)}
    write_rows(a.results / "e12_repair.csv", csv_rows(measured), COLUMNS)
    print(f"\nus, medians (least)\n\n{table_of(measured)}")


if __name__ == "__main__":
    main()
