#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a death costs those that are left: to learn of it, to revoke, to agree and to shrink.

This library (mpiexec --enable-recovery) and Open MPI where it is installed (--with-ft ulfm) take
turns, all ranks on this machine.  In each run some ranks die, one after the other.  The time of a
step is that of the slowest member.

With --calls: how long each kind of call takes to return when a process that it needs dies, for 4
ranks of this library in a node, in two cliques and on two hosts (maint/hosts; needs root).

Writes bench/results/e12_repair.csv: ranks,library,case,median,least, in us.  The median is that of
the runs' medians, the least time that of all deaths.  With --calls e12_calls.csv:
place,case,median,most, in ms."""
import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import page  # noqa: E402
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import ROOT, Build, add_quick, numbers, take_turns, write_rows  # noqa: E402

COLUMNS = "ranks,library,case,median,least".split(",")
CALLS_COLUMNS = "place,case,median,most".split(",")


def this_library(prefix, program):
    build = Build("patched", prefix, program, {"UCX_LOG_LEVEL": "fatal"}, experiment="repair")
    build.mpiexec.append("--enable-recovery")
    return build


def libraries(prefix):
    found = [this_library(prefix, "repair")]
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


def returns_of(build, a, clock):
    """call -> the milliseconds of each run"""

    def run(*arguments):
        clock.unlink(missing_ok=True)
        return build.lines(4, [clock, *arguments], a.timeout)

    count = int(run(-1)[0][0])
    found = {}
    for _ in range(a.rounds):
        for number in range(count):
            ((name, ms),) = run(number)
            found.setdefault(name, []).append(float(ms))
    return found


def over_hosts(build):
    other = on_hosts(build)
    other.mpiexec.append("--enable-recovery")
    return other


def measure_calls(a, clock):
    """place -> call -> [milliseconds]"""
    build = this_library(a.patched, "calls")
    build.compile()
    cliques = build.with_env({**build.env, "MPIR_CVAR_NUM_CLIQUES": "2"})
    measured = {"node": returns_of(build, a, clock), "cliques": returns_of(cliques, a, clock)}
    if may_start("repair"):
        with hosts_up(2):
            measured["hosts"] = returns_of(over_hosts(build), a, clock)
    return measured


def in_words(call):
    """ "MPI_Send:1_MB" is "MPI_Send, 1 MB" """
    name, _, what = call.partition(":")
    return f"{name}, {what.replace('_', ' ')}" if what else name


def report_calls(a, measured):
    rows = [
        [place, call, f"{statistics.median(ms):.2f}", f"{max(ms):.2f}"]
        for place, found in measured.items()
        for call, ms in found.items()
    ]
    write_rows(a.results / "e12_calls.csv", rows, CALLS_COLUMNS)
    table = [
        [in_words(call)]
        + [
            f"{statistics.median(found[call]):.1f} ({max(found[call]):.1f})"
            for found in measured.values()
        ]
        for call in measured["node"]
    ]
    print(f"\nms, medians (most)\n\n{page.table(['call', *measured], table)}")


def arguments():
    parser = argparse.ArgumentParser(
        prog="maint/bench repair",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--calls", action="store_true", help="the returns of calls instead")
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


def report_steps(a, clock):
    builds = libraries(a.patched)
    for build in builds:
        build.compile()
    measured = {n: measure(builds, n, a, clock) for n in numbers(a.ranks)}
    write_rows(a.results / "e12_repair.csv", csv_rows(measured), COLUMNS)
    print(f"\nus, medians (least)\n\n{table_of(measured)}")


def main():
    a = arguments()
    with tempfile.TemporaryDirectory() as folder:
        clock = Path(folder) / "clock"
        if a.calls:
            report_calls(a, measure_calls(a, clock))
        else:
            report_steps(a, clock)


if __name__ == "__main__":
    main()
