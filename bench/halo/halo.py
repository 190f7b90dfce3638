#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Halo exchanges of grids on several hosts with delayed links (maint/hosts; needs root).

  tiles   the order that MPI_Cart_create finds with reorder = 1
  given   this library with reorder = 0
  stock   stock MPICH (with the idle yield) with reorder = 1

The orders take turns.  A figure is the median over the rounds of an exchange's time in the slowest
process.  A ratio is the median of the ratios of one round.

Writes bench/results/e9_halo.csv: grid,order,case,median, where the case is a number of bytes (the
median is in us) or "edges" (between hosts), and e9_halo.svg.  With --doc also
doc/measurements/halo.md and its picture."""
import argparse
import math
import shutil
import statistics
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import page  # noqa: E402
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from runs import (
    ROOT,
    add_builds,
    add_quick,
    find_builds,
    in_turns,
    paired_ratio,
    write_rows,
)  # noqa: E402

COLUMNS = "grid,order,case,median".split(",")
TILES, GIVEN, STOCK = "tiles", "given", "stock"
EDGES = "edges"
PAGE = ROOT / "doc" / "measurements" / "halo.md"


def orders_of(stock, patched):
    """Name -> (build, reorder)."""
    orders = {TILES: (on_hosts(patched), 1), GIVEN: (on_hosts(patched), 0)}
    if stock:
        orders[STOCK] = (on_hosts(stock), 1)
    return orders


def measure(grid, orders, a):
    """order -> case -> figures, one a round."""
    dims = grid.split("x")
    ranks = math.prod(map(int, dims))
    found = defaultdict(lambda: defaultdict(list))
    for name in in_turns(list(orders), a.rounds, grid):
        build, reorder = orders[name]
        for case, value in build.lines(ranks, [reorder, *dims, "--", *a.bytes], a.timeout):
            found[name][case].append(float(value))
    return {name: found[name] for name in orders}


def times(grid, found, sizes):
    """One row for each size: us of each order, and ratios to the other two."""
    for size in sizes:
        us = {name: cases[size] for name, cases in found.items()}
        yield [
            f"{grid}, {int(size):,}",
            *(page.figure(statistics.median(us[name])) for name in us),
            *(f"{paired_ratio(us[TILES], us[name]):.2f}" for name in us if name != TILES),
        ]


def tables_of(measured, sizes):
    names = list(next(iter(measured.values())))
    header = ["grid, bytes", *(f"{name}, us" for name in names)]
    header += [f"tiles over {name}" for name in names if name != TILES]
    edges = [
        [grid, *(f"{cases[EDGES][0]:.0f}" for cases in found.values())]
        for grid, found in measured.items()
    ]
    rows = [row for grid, found in measured.items() for row in times(grid, found, sizes)]
    return {
        EDGES: page.table(["edges between hosts", *names], edges),
        "times": page.table(header, rows),
    }


def verdicts(measured, sizes):
    shown = page.Shown()
    for grid, found in measured.items():
        tiles, given = found[TILES], found[GIVEN]
        shown.at_most(f"{grid}: edges, tiles over given", tiles[EDGES][0] / given[EDGES][0], 1.0)
        for size in sizes:
            ratio = paired_ratio(tiles[size], given[size])
            shown.report(f"{grid}, {int(size):,} bytes: tiles over given", page.figure(ratio))
    return shown


def plot(measured, sizes, path):
    try:
        from plots import plt, save
    except ImportError:
        print("no plot without python3-matplotlib", file=sys.stderr)
        return False
    drawing, axes = plt.subplots(1, len(measured), figsize=(3.4 * len(measured), 3), squeeze=False)
    for axis, (grid, found) in zip(axes[0], measured.items()):
        for name, cases in found.items():
            axis.plot(
                [int(size) for size in sizes],
                [statistics.median(cases[size]) for size in sizes],
                marker=".",
                label=f"{name}: {cases[EDGES][0]:.0f} edges",
            )
        axis.set(title=grid, xlabel="bytes to each neighbour", xscale="log", yscale="log")
        axis.legend(fontsize="x-small")
    axes[0][0].set_ylabel("us an exchange")
    save(drawing, path)
    return True


def csv_rows(measured):
    for grid, found in measured.items():
        for name, cases in found.items():
            for case, figures in cases.items():
                yield [grid, name, case, f"{statistics.median(figures):.4f}"]


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench halo",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("--grids", default="4x4,4x4x2", help="(default 4x4,4x4x2)")
    ap.add_argument(
        "--bytes", default="1024,16384,131072", help="to each neighbour (default 1024,16384,131072)"
    )
    ap.add_argument("--hosts", type=int, default=4, help="(default 4)")
    ap.add_argument("--delay", type=int, default=200, help="of the links, us (default 200)")
    ap.add_argument("--rounds", type=int, default=3, help="(default 3)")
    ap.add_argument("--timeout", type=int, default=300, help="of a run, in seconds (default 300)")
    add_quick(ap, "4x4 alone, 2 rounds: under a minute", grids="4x4", rounds=2)
    ap.add_argument("--doc", action="store_true", help="also writes doc/measurements/halo.md")
    add_builds(ap)
    ap.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    a = ap.parse_args()
    a.grids = a.grids.split(",")
    a.bytes = a.bytes.split(",")
    return a


def main():
    a = arguments()
    if not may_start("halo"):
        return
    stock, _, patched = find_builds("halo", a.stock, a.patched)
    for build in filter(None, (stock, patched)):
        build.compile()
    with hosts_up(a.hosts, a.delay):
        orders = orders_of(stock, patched)
        measured = {grid: measure(grid, orders, a) for grid in a.grids}
    write_rows(a.results / "e9_halo.csv", csv_rows(measured), COLUMNS)
    tables = tables_of(measured, a.bytes)
    print("\n" + tables[EDGES] + "\n\n" + tables["times"])
    shown = verdicts(measured, a.bytes)
    shown.print()
    drawn = plot(measured, a.bytes, a.results / "e9_halo.svg")
    if a.doc:
        page.put(PAGE, "e9_halo", tables, shown, not a.quick)
        if drawn:
            shutil.copy(a.results / "e9_halo.svg", PAGE.parent / "plots")


if __name__ == "__main__":
    main()
