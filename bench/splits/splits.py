#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Comm_split by rows and by descriptions, in turns in one run, on one node and between hosts
(maint/hosts, which needs root).

Prints a table: microseconds of each way, and the ratio of descriptions to rows (less than 1:
descriptions are faster). Writes bench/results/e9_splits.csv:
place,ranks,pattern,rows_us,described_us,ratio. """
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from runs import ROOT, add_builds, add_quick, find_builds, numbers, write_rows  # noqa: E402

COLUMNS = "place,ranks,pattern,rows_us,described_us,ratio".split(",")


def measure(build, place, ranks, a):
    """Rows of the table; fewer splits where more processes share the cores."""
    times = max(1, a.times // ranks)
    rows = [[place, ranks, *line] for line in build.lines(ranks, [a.batches, times], 300)]
    for row in rows:
        print(("{:<10}{:>6}  {:<10}" + "{:>14}" * 2 + "{:>8}").format(*row), flush=True)
    return rows


def measure_hosts(build, hosts, a):
    with hosts_up(hosts, a.delay):
        return [
            row
            for ranks in a.host_ranks
            for row in measure(on_hosts(build), f"{hosts} hosts", ranks, a)
        ]


def arguments():
    parser = argparse.ArgumentParser(
        prog="maint/bench splits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_builds(parser)
    parser.add_argument("--ranks", type=numbers, default="2,4,16,64", help="on one node")
    parser.add_argument("--hosts", type=numbers, default="", metavar="K,...", help="so many hosts")
    parser.add_argument("--host-ranks", type=numbers, default="16", help="on the hosts together")
    parser.add_argument("--delay", type=int, default=200, help="microseconds from host to host")
    parser.add_argument("--batches", type=int, default=21)
    parser.add_argument("--times", type=int, default=2000, help="splits a batch, over the ranks")
    add_quick(parser, "2 and 16 ranks, 5 batches of 500 splits", ranks="2,16", batches=5, times=500)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, default=ROOT / "bench" / "results" / "e9_splits.csv"
    )
    return parser.parse_args()


def main():
    a = arguments()
    build = find_builds("splits", None, a.patched)[-1]
    build.compile()
    print("{:<10}{:>6}  {:<10}{:>14}{:>14}{:>8}".format(*COLUMNS))
    rows = [row for ranks in a.ranks for row in measure(build, "node", ranks, a)]
    if a.hosts and may_start("splits"):
        rows += [row for hosts in a.hosts for row in measure_hosts(build, hosts, a)]
    write_rows(a.output, rows, COLUMNS)


if __name__ == "__main__":
    main()
