#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The functions of AFAPI beside what gives the same in MPI and OpenMP (Quevedo's thesis, tables 5.3
to 5.7 and figures 5.1 to 5.7).

  afapi:alone   bench/afapi/afapi.c started without mpiexec (one machine)
  afapi         the same program under this library's mpiexec
  patched, stock, openmpi
                bench/afapi/afapi_mpi.c: MPI_Allreduce for a reduction, MPI_Allgather for a gather,
                with this library, stock MPICH (with the idle yield), and Open MPI
  openmp        bench/afapi/afapi_openmp.c: eight reductions by threads, less the time of an empty
                parallel region; openmp:made with it

Programs take turns.  A figure is the mean of all batches of all rounds, each the mean time of a
call in the slowest process; the deviation is that of the batches.  On one machine the reductions of
32 bits run with 2 to 12 processes, and with --all all operations and types; on hosts all of them.

Writes bench/results/e7_afapi.csv:
  library,hosts,ranks,operation,type,mean_us,stddev_us,median_us,p10_us,p90_us
and e7_afapi.svg.  With --doc also doc/measurements/afapi.md and its picture."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import page  # noqa: E402
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (
    ROOT,
    Build,
    add_builds,
    add_quick,
    decile,
    find_builds,
    in_turns,
    numbers,
    write_rows,
)  # noqa: E402

COLUMNS = "library,hosts,ranks,operation,type,mean_us,stddev_us,median_us,p10_us,p90_us".split(",")
REDUCTIONS = ["reduce" + op for op in ("Or", "And", "Xor", "Add", "Mul", "Min", "Max")]
SCANS = [name.replace("reduce", "scan") for name in REDUCTIONS]
EXCHANGES = ["barrier", "bcast", "scatter", "gather", "putGet", "all2all"]
TYPES = "8 16 32 64 8u 16u 32u 64u 32f 64f".split()
LIBRARIES = ["afapi:alone", "afapi", "patched", "stock", "openmpi", "openmp", "openmp:made"]
PAGE = ROOT / "doc" / "measurements" / "afapi.md"


class Alone(Build):
    """An AFAPI program that starts its processes itself, or one of OpenMP: no mpiexec."""

    def lines(self, ranks, arguments, timeout):
        if self.name == "openmp":
            arguments = [ranks, *arguments[:2]]
        out = subprocess.run(
            [self.program, *map(str, arguments)],
            check=True,
            text=True,
            capture_output=True,
            timeout=timeout,
            env={**os.environ, "AFAPI_NPROC": str(ranks)},
        ).stdout
        return [line.split() for line in out.splitlines()]


def of_mpi(build):
    build.source = ROOT / "bench" / "afapi" / "afapi_mpi.c"
    build.program = ROOT / "build" / "bench" / f"afapi_mpi-{build.name}"
    return build


def libraries(a):
    stock, _, patched = find_builds("afapi", a.stock, a.patched)
    found = [Alone("afapi:alone", patched.prefix, "afapi"), Build("afapi", patched.prefix, "afapi")]
    openmpi = OpenMPI("afapi") if OpenMPI.present() else None
    if not openmpi:
        print("afapi: no Open MPI (maint/build --openmpi)", file=sys.stderr)
    found += [of_mpi(build) for build in (patched, stock, openmpi) if build]
    openmp = Alone("openmp", "/usr", "afapi_openmp", experiment="afapi")
    openmp.mpicc = ["gcc", "-fopenmp"]
    for build in (*found, openmp):
        build.compile()
    return found, openmp


def times_for(ranks, hosts, a):
    """Calls a batch, so that a batch takes about as long everywhere."""
    return max(5, a.times // (1 if ranks <= os.cpu_count() and hosts == 1 else 40 * hosts))


def measure(builds, hosts, ranks, only, a):
    """(library, operation, type) -> us of all batches of all rounds"""
    found = defaultdict(list)
    arguments = [a.batches, times_for(ranks, hosts, a), *only]
    for build in in_turns(builds, a.rounds, f"{ranks} processes on {hosts}"):
        for name, *us in build.lines(ranks, arguments, 900):
            made, _, case = name.rpartition(":")
            key = (f"{build.name}:{made}" if made else build.name, *case.split("-"))
            found[key] += map(float, us)
    return found


def row(hosts, ranks, key, us):
    library, operation, kind = key
    figures = (
        statistics.mean(us),
        statistics.stdev(us) if len(us) > 1 else 0.0,
        statistics.median(us),
        decile(us, 1),
        decile(us, 9),
    )
    return [library, hosts, ranks, operation, kind, *(f"{x:.4f}" for x in figures)]


class Figures:
    """What was measured of each (hosts, ranks, library, operation, type): mean and deviation, as
    the thesis has them, and the median, which a busy neighbour moves less."""

    def __init__(self, rows):
        self.rows = rows
        self.mean = {(r[1], r[2], r[0], r[3], r[4]): (float(r[5]), float(r[6])) for r in rows}
        self.median = {(r[1], r[2], r[0], r[3], r[4]): float(r[7]) for r in rows}

    def libraries(self, hosts, ranks):
        there = {key[2] for key in self.mean if key[:2] == (hosts, ranks)}
        return [name for name in LIBRARIES if name in there]

    def ranks(self, hosts):
        return sorted({key[1] for key in self.mean if key[0] == hosts})

    def hosts(self):
        return sorted({key[0] for key in self.mean if key[0] > 1})

    def reductions(self, hosts, ranks, library):
        """The mean of their medians."""
        us = [self.median.get((hosts, ranks, library, op, "32")) for op in REDUCTIONS]
        return statistics.mean(us) if None not in us else None

    def cell(self, *key, deviation=False):
        if key not in self.mean:
            return ""
        mean, sd = self.mean[key]
        return page.figure(mean) + (f" ({page.figure(sd)})" if deviation else "")

    def of_numbers(self):
        """Table 5.3: seven reductions, by the number of processes."""
        names = [name for name in LIBRARIES if any(r[0] == name for r in self.rows)]
        return page.table(
            ["processes", *names],
            [
                [str(n)]
                + [
                    "" if us is None else page.figure(us)
                    for us in (self.reductions(1, n, name) for name in names)
                ]
                for n in self.ranks(1)
            ],
        )

    def of_operations(self, ranks):
        """Tables 5.4 and 5.5: each reduction."""
        names = self.libraries(1, ranks)
        return page.table(
            [f"{ranks} processes", *names],
            [
                [op] + [self.cell(1, ranks, name, op, "32", deviation=True) for name in names]
                for op in [*REDUCTIONS, "reduceSub"]
            ],
        )

    def of_types(self, hosts, ranks):
        """Tables 5.6 and 5.7: each operation by bits, signed; unsigned and floats beside them."""
        rows = []
        for op in [*REDUCTIONS, *SCANS, *EXCHANGES]:
            for name in self.libraries(hosts, ranks):
                cells = [self.cell(hosts, ranks, name, op, kind) for kind in TYPES]
                if any(cells):
                    deviations = [
                        self.mean[key][1]
                        for key in ((hosts, ranks, name, op, kind) for kind in TYPES)
                        if key in self.mean
                    ]
                    rows.append([op, name, *cells, page.figure(statistics.mean(deviations))])
        return page.table(["operation", "library", *TYPES, "deviation"], rows)

    def tables(self):
        made = {"numbers": self.of_numbers()}
        two = [n for n in self.ranks(1) if n in (6, 12)]
        made["operations"] = "\n\n".join(self.of_operations(n) for n in two) or "Not measured."
        for hosts in (1, 2, 4):
            with_types = [
                n for n in self.ranks(hosts) if (hosts, n, "afapi", "bcast", "8") in self.mean
            ]
            made[f"types{hosts}"] = (
                "\n\n".join(f"{n} processes:\n\n{self.of_types(hosts, n)}" for n in with_types)
                or "Not measured."
            )
        return made


def verdicts(figures):
    """AFAPI beside MPI at each number of processes, as the thesis compares them."""
    shown = page.Shown()
    for hosts, limit in ((1, 1.0), (2, 1.0), (4, 1.0)):
        for ranks in figures.ranks(hosts):
            ours = figures.reductions(hosts, ranks, "afapi")
            for name in ("patched", "stock", "openmpi"):
                theirs = figures.reductions(hosts, ranks, name)
                if ours and theirs:
                    what = f"reductions, {ranks} processes on {hosts}: AFAPI over {name}"
                    if name == "patched":
                        shown.report(what, page.figure(ours / theirs))
                    else:
                        shown.at_most(what, ours / theirs, limit)
    return shown


def plot(figures, path):
    try:
        from plots import plt, save
    except ImportError:
        print("no plot without python3-matplotlib", file=sys.stderr)
        return False
    places = [hosts for hosts in (1, *figures.hosts()) if figures.ranks(hosts)]
    drawing, axes = plt.subplots(1, len(places), figsize=(4.4 * len(places), 3.4), squeeze=False)
    colour = {name: f"C{k}" for k, name in enumerate(LIBRARIES)}
    for axis, hosts in zip(axes[0], places):
        if hosts == 1:
            for name in LIBRARIES:
                points = [(n, figures.reductions(1, n, name)) for n in figures.ranks(1)]
                points = [point for point in points if point[1]]
                if points:
                    axis.plot(*zip(*points), marker=".", color=colour[name], label=name)
            axis.set(xlabel="processes on one machine", ylabel="us, mean of 7 reductions")
        else:
            ranks = figures.ranks(hosts)[-1]
            names = figures.libraries(hosts, ranks)
            for k, name in enumerate(names):
                pairs = [figures.mean.get((hosts, ranks, name, op, "32")) for op in REDUCTIONS]
                axis.bar(
                    [i + 0.8 * k / len(names) for i in range(len(REDUCTIONS))],
                    [pair[0] for pair in pairs],
                    0.8 / len(names),
                    yerr=[pair[1] for pair in pairs],
                    color=colour[name],
                )
            axis.set_xticks([i + 0.3 for i in range(len(REDUCTIONS))])
            axis.set_xticklabels([op.removeprefix("reduce") for op in REDUCTIONS])
            axis.set(xlabel=f"{ranks} processes on {hosts} hosts, 32 bits", ylabel="us")
        axis.set_yscale("log")
    axes[0][0].legend(fontsize="x-small")
    save(drawing, path)
    return True


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench afapi",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument(
        "--ranks", default="2,3,4,5,6,7,8,9,10,11,12", help="on one machine (default 2 to 12)"
    )
    ap.add_argument(
        "--all", default="2", metavar="N,...", help="with N processes all types (default 2)"
    )
    ap.add_argument(
        "--hosts", default="2,4", metavar="K,...", help="8 processes on K hosts (default 2,4; root)"
    )
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--batches", type=int, default=9)
    ap.add_argument("--times", type=int, default=4000, help="calls a batch (default 4000)")
    add_quick(
        ap,
        "2, 6 and 12 processes, 1 round, 2 hosts",
        ranks="2,6,12",
        all="",
        hosts="2",
        rounds=1,
        times=1000,
    )
    ap.add_argument("--doc", action="store_true", help="also writes doc/measurements/afapi.md")
    add_builds(ap)
    ap.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    a = ap.parse_args()
    for name in ("ranks", "all", "hosts"):
        setattr(a, name, numbers(getattr(a, name)))
    if a.hosts and not may_start("afapi"):
        a.hosts = []
    return a


def main():
    a = arguments()
    builds, openmp = libraries(a)
    rows = []

    def add(some, hosts, ranks, only):
        found = measure(some, hosts, ranks, only, a)
        rows.extend(row(hosts, ranks, key, us) for key, us in found.items())

    for ranks in a.ranks:
        add([*builds, openmp], 1, ranks, ["-32"] if ranks not in a.all else [])
    for hosts in a.hosts:
        with hosts_up(hosts):
            add([on_hosts(b) for b in builds if b.name != "afapi:alone"], hosts, 8, [])
    write_rows(a.results / "e7_afapi.csv", rows, COLUMNS)
    figures = Figures(rows)
    tables = figures.tables()
    print("\n" + tables["numbers"] + "\n\n" + tables["operations"])
    shown = verdicts(figures)
    shown.print()
    drawn = plot(figures, a.results / "e7_afapi.svg")
    if a.doc:
        page.put(PAGE, "e7_afapi", tables, shown, True)
        if drawn:
            shutil.copy(a.results / "e7_afapi.svg", PAGE.parent / "plots")


if __name__ == "__main__":
    main()
