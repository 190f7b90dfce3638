#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Groups and communicators of one rank of worlds of 2^10 to 2^20 ranks (mpirank1, 16 ranks a node),
time and bytes, beside stock MPICH in worlds as large as --stock-most says (one rank a node; it
cannot make communicators there). A world of 2^18 takes stock 1.2 GB and 10 s, one of 2^20 takes 4.6
GB.

Runs take turns; figures are medians. What must be shown is printed with its figure, met or missed.
Writes bench/results/e5_million.csv: set,build,ranks,case,median_us,bytes, and plots beside it where
matplotlib is installed. """
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from runs import (
    ROOT,
    add_builds,
    add_quick,
    find_builds,
    in_turns,
    numbers,
    write_rows,
)  # noqa: E402
from worlds import plot, run_alone  # noqa: E402

SCENARIOS = ROOT / "src" / "mpi" / "solo" / "solo_scenario.c"
COLUMNS = "set,build,ranks,case,median_us,bytes".split(",")
# How a communicator is made, and for splits the scenario; the even ranks and the odd ones are also
# the sides of Intercomm_create.
CREATIONS = {name: name for name in ("same", "rows", "columns", "planes", "even_odd", "reversed")}
CREATIONS.update(permutation="random_permutation 7", random_colours="random_colours 16 7")
CREATIONS.update(
    dict.fromkeys(
        (
            "dup",
            "idup",
            "create",
            "create_group",
            "Cart_create",
            "Cart_create_reorder",
            "Cart_sub",
            "Cart_sub_reordered",
            "Dist_graph_create_adjacent",
            "Intercomm_create",
        )
    )
)
# In these one rank is dead, whose children in the tree have no parent then; without the messages.
DEAD = {case: ["--dead", "5"] for case in ("agree", "shrink", "shrink_again")}
CREATIONS.update(dict.fromkeys(DEAD))
# What follows from maps alone.
LOCAL = [case for case, scenario in CREATIONS.items() if scenario is None]
REGULAR = ["range_incl_even", "union", "intersection", "difference", "compare"]


# glibc counts as in use what it keeps for the next call of this length, so that a second object
# would cost nothing.
EXACT_BYTES = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}


def run(build, tool, ranks, arguments, options=()):
    """case -> (microseconds, bytes): of two runs, since what counts bytes exactly takes time."""
    times = run_alone(build, tool, ranks, arguments, options)
    bytes_ = run_alone(build.with_env(EXACT_BYTES), tool, ranks, arguments, options)
    return {case: (float(us), int(kept)) for (case, us, _), (_, _, kept) in zip(times, bytes_)}


def add(found, key, cases):
    for case, figures in cases.items():
        found.setdefault((*key, case), []).append(figures)


def measure(builds, patched, a):
    """(set, build, ranks, case) -> figures of each round"""
    tool = patched.prefix / "bin" / "mpirank1"
    found = {}
    for ranks in a.worlds:
        some = [b for b in builds if b is patched or ranks <= a.stock_most]
        for build in in_turns(some, a.rounds, f"world of {ranks}"):
            add(found, ("groups", build.name, ranks), run(build, tool, ranks, ["groups"]))
        for _ in range(a.rounds):
            for case, scenario in CREATIONS.items():
                options = ["--scenario", scenario or "even_odd", *DEAD.get(case, [])]
                how = ["create", case, *([scenario] if scenario else [])]
                add(found, ("create", patched.name, ranks), run(patched, tool, ranks, how, options))
    return {
        key: tuple(statistics.median(column) for column in zip(*figures))
        for key, figures in found.items()
    }


def verdict(what, value, limit, at_most=True):
    met = value <= limit if at_most else value >= limit
    print(
        f"{'met   ' if met else 'missed'} {what}: {value:.4g} (at {'most' if at_most else 'least'} {limit:g})"
    )


def verdicts(found, largest, stock_largest):
    def ours(case, name="groups"):
        return found[name, "patched", largest, case]

    verdict("MPI_Comm_group, us", ours("comm_group")[0], 1)
    for case in REGULAR:
        verdict(f"{case}, us", ours(case)[0], 2)
        verdict(f"{case}, bytes kept (a map's header and nothing else)", ours(case)[1], 256)
    for case in LOCAL:
        verdict(f"{case}, us", ours(case, "create")[0], 50)
    verdict(
        "a random permutation, bits kept for each rank",
        8 * ours("permutation", "create")[1] / largest,
        20.1,
    )
    if stock_largest:
        union, permutation = (
            found["groups", "stock", stock_largest, case] for case in ("union", "incl_permutation")
        )
        verdict(
            f"union in stock ({stock_largest} ranks) over ours ({largest})",
            union[0] / ours("union")[0],
            1000,
            at_most=False,
        )
        verdict(
            f"the group of a random permutation in stock ({stock_largest} ranks), bytes a rank",
            permutation[1] / stock_largest,
            12,
            at_most=False,
        )


def plots(found, output, doc):
    for name in ("groups", "create"):
        panels = {}
        for (set_, build, ranks, case), (us, kept) in found.items():
            if set_ != name:
                continue
            case, _, temporary = case.partition("-")
            shown = {"bytes while it lasts": kept} if temporary else {"us": us, "bytes kept": kept}
            for label, figure in shown.items():
                panels.setdefault(label, {}).setdefault((build, case), []).append((ranks, figure))
        plot(output.with_name(f"{output.stem}_{name}.svg"), list(panels.items()), doc)


def main():
    parser = argparse.ArgumentParser(
        prog="maint/bench million",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_builds(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--worlds", type=numbers, metavar="N,...", default=[1 << k for k in range(10, 21, 2)]
    )
    parser.add_argument(
        "--stock-most", type=int, default=1 << 18, help="largest world of stock (default 2^18)"
    )
    add_quick(
        parser,
        "1 round, worlds of 2^10, 2^16 and 2^20, stock to 2^16",
        rounds=1,
        worlds=[1 << 10, 1 << 16, 1 << 20],
        stock_most=1 << 16,
    )
    parser.add_argument(
        "--doc", action="store_true", help="also puts the plots into doc/measurements/plots/"
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "bench" / "results" / "e5_million.csv"
    )
    a = parser.parse_args()
    stock, _, patched = find_builds("million", a.stock, a.patched)
    builds = [b for b in (stock, patched) if b]
    for build in builds:
        build.compile(f"-I{SCENARIOS.parent}", SCENARIOS)
    found = measure(builds, patched, a)
    write_rows(
        a.output, ([*key, f"{us:.4f}", f"{kept:.0f}"] for key, (us, kept) in found.items()), COLUMNS
    )
    plots(found, a.output, ROOT / "doc" / "measurements" / "plots" if a.doc else None)
    verdicts(
        found, max(a.worlds), max((n for n in a.worlds if n <= a.stock_most and stock), default=0)
    )


if __name__ == "__main__":
    main()
