#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small blocking collectives: stock (with the idle yield), ours, ours without aggregates (MPIR_CVAR_AGGR=0), Open MPI where
Debian's package is installed, and on 2 processes the threads of OpenMP.

Runs of bench/aggr.c take turns; a run's figure is the median of its batches, a row's the median over the runs, with their
standard deviation.  Ratios are medians of the ratios of one round.  What must be shown (limits of the ratio to stock) is
printed with its figure, met or missed.

Writes bench/results/aggr.csv: set,build,ranks,nodes,case,median_us,sd_us
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
from runs import ROOT, Build, add_builds, find_builds, paired_ratio, take_turns, write_rows  # noqa: E402

COLUMNS = "set,build,ranks,nodes,case,median_us,sd_us".split(",")
# (ranks, case) -> largest ratio to stock on one node
LIMITS = {**{(2, case): 0.35 for case in ("allreduce", "barrier", "bcast")},
          **{(ranks, case): limit for ranks, limit in ((4, 0.5), (16, 0.2), (64, 0.12)) for case in ("allreduce", "barrier")},
          **{(ranks, case): limit for ranks, limit in ((4, 0.3), (16, 0.2), (64, 0.15)) for case in ("dup", "split")}}
NODES_LIMIT = 1.0
CLIQUES = "MPIR_CVAR_NUM_CLIQUES"
HOSTS = ROOT / "maint" / "hosts"


class OpenMPI(Build):
    """Debian's package; it binds to cores and refuses root and more ranks than cores unless told not to."""

    def __init__(self):
        super().__init__("openmpi", "/usr", "aggr")
        self.mpicc = ["mpicc.openmpi"]
        self.mpiexec = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]

    @staticmethod
    def present():
        return shutil.which("mpicc.openmpi") and shutil.which("mpiexec.openmpi")


class OpenMP(Build):
    """Threads instead of processes, for three of the cases."""

    def __init__(self):
        super().__init__("openmp", "/usr", "aggr_openmp")
        self.mpicc = ["gcc", "-fopenmp"]

    def lines(self, ranks, arguments, timeout):
        out = subprocess.run([self.program, str(ranks), *map(str, arguments[1:])], check=True, text=True,
                             capture_output=True, timeout=timeout).stdout
        return [line.split() for line in out.splitlines()]


def times_for(ranks, a):
    """Calls a batch: a batch takes about as long at all numbers of ranks."""
    return max(10, a.times // (1 if ranks <= 2 else 16 if ranks <= os.cpu_count() * 2 else 10 * ranks))


def on_hosts(build):
    """The same build over the hosts that are up."""
    other = build.with_env({})
    other.mpiexec = [HOSTS, "run", f"--prefix={build.prefix}"]
    return other


def measure(name, builds, ranks, nodes, a):
    def run(build):
        found = build.lines(ranks, ["kinds" if name == "hosts" else name, a.batches, times_for(ranks, a)], 900)
        return {case: float(us) for case, us in found}

    if name == "hosts":
        builds = [on_hosts(build) for build in builds]
    elif nodes > 1:
        builds = [build.with_env({CLIQUES: str(nodes)}) for build in builds]
    found = take_turns(builds, a.rounds, run, f"{name}, {ranks} ranks, {nodes} nodes")
    print_table(found, ranks, f"{nodes} {'host' if name == 'hosts' else 'node'}{'s' * (nodes > 1)}")
    return found


def sd(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def print_table(found, ranks, place):
    base = found.get("stock")
    print(f"\n{ranks} ranks, {place}: us (standard deviation) and ratio to stock")
    for case in max(found.values(), key=len):
        cells = []
        for build, cases in found.items():
            if case not in cases:
                continue
            ratio = f" {paired_ratio(cases[case], base[case]):6.3f}" if base and build != "stock" else ""
            cells.append(f"{build} {statistics.median(cases[case]):.3f} ({sd(cases[case]):.3f}){ratio}")
        print(f"  {case:<22} " + "; ".join(cells), flush=True)


def verdicts(name, found, ranks, nodes):
    """What must be shown of one table."""
    what = "hosts" if name == "hosts" else "nodes"
    if "stock" not in found:
        return
    for case, us in found["patched"].items():
        limit = NODES_LIMIT if nodes > 1 else LIMITS.get((ranks, case))
        if limit is None:
            continue
        ratio = paired_ratio(us, found["stock"][case])
        yield f"{'met   ' if ratio <= limit else 'missed'} {case}, {ranks} ranks, {nodes} {what}: {ratio:.3f} of stock, at most {limit}"


def arguments():
    ap = argparse.ArgumentParser(prog="maint/bench aggr", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--ranks", default="2,4,16,64", help="on one node (default 2,4,16,64)")
    ap.add_argument("--nodes", default="2,4", metavar="K,...", help="nodes of 8 ranks together, by MPIR_CVAR_NUM_CLIQUES (default 2,4)")
    ap.add_argument("--hosts", default="", metavar="K,...", help="also 8 ranks on so many hosts (maint/hosts; needs root), over TCP")
    ap.add_argument("--rounds", type=int, default=7)
    ap.add_argument("--batches", type=int, default=11)
    ap.add_argument("--times", type=int, default=20000, help="calls a batch with 2 ranks (default 20000)")
    ap.add_argument("--sizes", action="store_true", help="also MPI_Allreduce, MPI_Bcast, MPI_Allgather of 8 bytes to 64 KiB")
    ap.add_argument("--folds", action="store_true", help="also every predefined operation")
    ap.add_argument("--quick", action="store_true", help="3 rounds")
    add_builds(ap)
    ap.add_argument("--output", metavar="FILE", type=Path, default=ROOT / "bench" / "results" / "aggr.csv")
    a = ap.parse_args()
    a.rounds = 3 if a.quick else a.rounds
    a.ranks = [int(n) for n in a.ranks.split(",")]
    a.nodes = [int(n) for n in a.nodes.split(",") if int(n) > 1]
    a.hosts = [int(n) for n in a.hosts.split(",") if n]
    return a


def main():
    a = arguments()
    stock, _, patched = find_builds("aggr", a.stock, a.patched)
    without = Build("patched:without", patched.prefix, "aggr", {"MPIR_CVAR_AGGR": "0"})
    builds = [b for b in (stock, patched, without, OpenMPI() if OpenMPI.present() else None) if b]
    threads = OpenMP()
    for build in (*builds, threads):
        build.compile()
    tables = []
    ours = [b for b in builds if b.name != "openmpi"]
    for ranks in a.ranks:
        more = [threads] if ranks <= os.cpu_count() else []
        tables.append(("kinds", ranks, 1, measure("kinds", builds + more, ranks, 1, a)))
    for nodes in a.nodes:
        tables.append(("kinds", 8, nodes, measure("kinds", ours, 8, nodes, a)))
    for hosts in a.hosts:
        subprocess.run([HOSTS, "up", str(hosts)], check=True)
        try:
            tables.append(("hosts", 8, hosts, measure("hosts", ours, 8, hosts, a)))
        finally:
            subprocess.run([HOSTS, "down"], check=True)
    for name in [n for n in ("folds", "sizes") if getattr(a, n)]:
        tables.append((name, 2, 1, measure(name, builds, 2, 1, a)))
    write_rows(a.output, ([name, build, ranks, nodes, case, f"{statistics.median(us):.4f}", f"{sd(us):.4f}"]
                          for name, ranks, nodes, found in tables for build, cases in found.items()
                          for case, us in cases.items()), COLUMNS)
    for name, ranks, nodes, found in tables:
        for line in verdicts(name, found, ranks, nodes) if name in ("kinds", "hosts") else ():
            print(line)


if __name__ == "__main__":
    main()
