#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small blocking collectives: stock (with the idle yield), ours, ours without aggregates
(MPIR_CVAR_AGGR=0), Open MPI where it is installed, and on 2 processes the threads of OpenMP.

Runs of bench/aggr/aggr.c take turns; a run's figure is the median of its batches, a row's the
median over the runs, with their standard deviation.  Ratios are medians of the ratios of one round.
What must be shown (limits of the ratio to stock) is printed with its figure, met or missed.

What 2 processes take is what a cache line takes from core to core, which on a virtual machine
changes from run to run by a factor of four and more.  Each run measures that first and last, and
only runs with the same distance are compared; a run in which it changed is left out.  There are
more rounds until each distance has three of every build, or four times as many, and ratios are
those of the medians.

Writes bench/results/aggr.csv: set,build,ranks,nodes,case,median_us,sd_us; of 2 processes
"set:distance". """
import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from hosts import hosts_up, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (
    ROOT,
    Build,
    add_builds,
    add_quick,
    by_distance,
    find_builds,
    numbers,
    paired_ratio,
    runs_of,
    take_turns,  # noqa: E402
    until_enough,
    write_rows,
)

COLUMNS = "set,build,ranks,nodes,case,median_us,sd_us".split(",")
# (ranks, case) -> largest ratio to stock on one node
LIMITS = {
    **{(2, case): 0.35 for case in ("allreduce", "barrier", "bcast")},
    **{
        (ranks, case): limit
        for ranks, limit in ((4, 0.5), (16, 0.2), (64, 0.12))
        for case in ("allreduce", "barrier")
    },
    **{
        (ranks, case): limit
        for ranks, limit in ((4, 0.3), (16, 0.2), (64, 0.15))
        for case in ("dup", "split")
    },
}
NODES_LIMIT = 1.0
CLIQUES = "MPIR_CVAR_NUM_CLIQUES"


class OpenMP(Build):
    """Threads instead of processes, for three of the cases."""

    def __init__(self):
        super().__init__("openmp", "/usr", "aggr_openmp", experiment="aggr")
        self.mpicc = ["gcc", "-fopenmp"]

    def lines(self, ranks, arguments, timeout):
        out = subprocess.run(
            [self.program, str(ranks), *map(str, arguments[1:])],
            check=True,
            text=True,
            capture_output=True,
            timeout=timeout,
        ).stdout
        return [line.split() for line in out.splitlines()]


def times_for(ranks, a):
    """Calls a batch: a batch takes about as long at all numbers of ranks."""
    return max(
        10, a.times // (1 if ranks <= 2 else 16 if ranks <= os.cpu_count() * 2 else 10 * ranks)
    )


def figures(build, name, ranks, a):
    """case -> us of a run, and what a line took, first and last."""
    found = build.lines(ranks, [name, a.batches, times_for(ranks, a)], 900)
    return {case: float(us) for case, us in found if case != "line"}, [
        float(us) for case, us in found if case == "line"
    ]


def measure_pair(name, builds, a):
    """Two processes: a table for each distance in which every build has had its cores."""
    runs = until_enough(
        builds, a.rounds, lambda build: figures(build, name, 2, a), f"{name}, 2 ranks"
    )
    for distance, rows in by_distance(runs).items():
        if len(rows) == len(builds):
            counts = ", ".join(f"{runs_of(cases)} of {build}" for build, cases in rows.items())
            yield Table(f"{name}:{distance}", 2, 1, rows, unpaired_ratio).show(
                f"a line takes {distance} (runs: {counts})"
            )


def measure(name, builds, ranks, nodes, a):
    def run(build):
        return figures(build, "kinds" if name == "hosts" else name, ranks, a)[0]

    if name == "hosts":
        builds = [on_hosts(build) for build in builds]
    elif nodes > 1:
        builds = [build.with_env({CLIQUES: str(nodes)}) for build in builds]
    found = take_turns(builds, a.rounds, run, f"{name}, {ranks} ranks, {nodes} nodes")
    return Table(name, ranks, nodes, found).show(
        f"{nodes} {'host' if name == 'hosts' else 'node'}{'s' * (nodes > 1)}"
    )


def unpaired_ratio(us, base_us):
    return statistics.median(us) / statistics.median(base_us)


def sd(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


@dataclass
class Table:
    name: str
    ranks: int
    nodes: int
    found: dict  # build -> case -> figures
    ratio: Callable = paired_ratio

    def show(self, place):
        base = self.found.get("stock")
        print(f"\n{self.ranks} ranks, {place}: us (standard deviation) and ratio to stock")
        for case in max(self.found.values(), key=len):
            cells = []
            for build, cases in self.found.items():
                if case not in cases:
                    continue
                ratio = (
                    f" {self.ratio(cases[case], base[case]):6.3f}"
                    if base and build != "stock"
                    else ""
                )
                cells.append(
                    f"{build} {statistics.median(cases[case]):.3f} ({sd(cases[case]):.3f}){ratio}"
                )
            print(f"  {case:<22} " + "; ".join(cells), flush=True)
        return self

    def rows(self):
        for build, cases in self.found.items():
            for case, us in cases.items():
                yield [
                    self.name,
                    build,
                    self.ranks,
                    self.nodes,
                    case,
                    f"{statistics.median(us):.4f}",
                    f"{sd(us):.4f}",
                ]

    def verdicts(self):
        """What must be shown."""
        if "stock" not in self.found or self.name.startswith(("folds", "sizes")):
            return
        for case, us in self.found["patched"].items():
            limit = NODES_LIMIT if self.nodes > 1 else LIMITS.get((self.ranks, case))
            if limit is not None:
                ratio = self.ratio(us, self.found["stock"][case])
                verdict = "met   " if ratio <= limit else "missed"
                yield f"{verdict} {case}, {self.name}, {self.ranks} ranks, {self.nodes} nodes: {ratio:.3f} of stock, at most {limit}"


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench aggr",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("--ranks", default="2,4,16,64", help="on one node (default 2,4,16,64)")
    ap.add_argument(
        "--nodes",
        default="2,4",
        metavar="K,...",
        help="nodes of 8 ranks together, by MPIR_CVAR_NUM_CLIQUES (default 2,4)",
    )
    ap.add_argument(
        "--hosts",
        default="",
        metavar="K,...",
        help="also 8 ranks on so many hosts (maint/hosts; needs root), over TCP",
    )
    ap.add_argument("--rounds", type=int, default=7)
    ap.add_argument("--batches", type=int, default=11)
    ap.add_argument(
        "--times", type=int, default=20000, help="calls a batch with 2 ranks (default 20000)"
    )
    ap.add_argument(
        "--sizes",
        action="store_true",
        help="also MPI_Allreduce, MPI_Bcast, MPI_Allgather of 8 bytes to 64 KiB",
    )
    ap.add_argument("--folds", action="store_true", help="also every predefined operation")
    add_quick(
        ap,
        "3 rounds, 2 to 16 ranks, 2 nodes, a quarter of the calls",
        rounds=3,
        ranks="2,4,16",
        nodes="2",
        times=5000,
    )
    add_builds(ap)
    ap.add_argument(
        "--output", metavar="FILE", type=Path, default=ROOT / "bench" / "results" / "aggr.csv"
    )
    a = ap.parse_args()
    a.ranks = numbers(a.ranks)
    a.nodes = [n for n in numbers(a.nodes) if n > 1]
    a.hosts = numbers(a.hosts)
    return a


def main():
    a = arguments()
    stock, _, patched = find_builds("aggr", a.stock, a.patched)
    without = Build("patched:without", patched.prefix, "aggr", {"MPIR_CVAR_AGGR": "0"})
    builds = [
        b for b in (stock, patched, without, OpenMPI("aggr") if OpenMPI.present() else None) if b
    ]
    threads = OpenMP()
    for build in (*builds, threads):
        build.compile()
    tables = []
    ours = [b for b in builds if b.name != "openmpi"]
    for ranks in a.ranks:
        more = [threads] if ranks <= os.cpu_count() else []
        tables += (
            measure_pair("kinds", builds + more, a)
            if ranks == 2
            else [measure("kinds", builds + more, ranks, 1, a)]
        )
    for nodes in a.nodes:
        tables.append(measure("kinds", ours, 8, nodes, a))
    for hosts in a.hosts:
        with hosts_up(hosts):
            tables.append(measure("hosts", builds, 8, hosts, a))
    for name in [n for n in ("folds", "sizes") if getattr(a, n)]:
        tables += measure_pair(name, builds, a)
    write_rows(a.output, (row for table in tables for row in table.rows()), COLUMNS)
    for table in tables:
        for line in table.verdicts():
            print(line)


if __name__ == "__main__":
    main()
