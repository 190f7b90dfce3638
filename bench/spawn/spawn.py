#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Latency between a parent and its child, beside that inside a world.

Runs bench/spawn/spawn.c again and again.  In each run a process exchanges messages with one of its
own world and with one that it has spawned, in turns and on the same two cores.  A figure is the
median over the runs of each run's median half round trip; the ratio is the median over the runs of
the median ratio of two batches that follow each other.

Writes bench/results/spawn.csv: bytes,partner,median_us,ratio.  REQUIRES two cores."""

import argparse
import os
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from runs import ROOT, Build, add_quick, write_rows  # noqa: E402

COLUMNS = ("bytes", "partner", "median_us", "ratio")


def arguments():
    parser = argparse.ArgumentParser(
        prog="maint/bench spawn",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--batches", type=int, default=200, help="of each partner and size")
    add_quick(parser, "3 runs", runs=3)
    parser.add_argument("--trips", type=int, default=500, help="round trips of a batch")
    parser.add_argument(
        "--patched", default=os.environ.get("CMAP_INSTALL", ROOT / "install"), metavar="PREFIX"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "spawn.csv")
    return parser.parse_args()


def main():
    a = arguments()
    build = Build("patched", a.patched, "spawn")
    build.compile()
    found = {}  # (bytes, partner) -> (medians, ratios) of the runs
    for _ in range(a.runs):
        for partner, size, median, _, _, ratio in build.lines(2, [a.batches, a.trips], 300):
            us, ratios = found.setdefault((int(size), partner), ([], []))
            us.append(float(median))
            ratios.append(float(ratio))
    rows = [
        (size, partner, f"{statistics.median(us):.4f}", f"{statistics.median(ratios):.3f}")
        for (size, partner), (us, ratios) in found.items()
    ]
    for size, partner, us, ratio in rows:
        tail = f"   {ratio} of the world's" if partner == "child" else ""
        print(f"{size:>6} bytes, {partner}: {us} us{tail}")
    write_rows(a.output, rows, COLUMNS)


if __name__ == "__main__":
    main()
