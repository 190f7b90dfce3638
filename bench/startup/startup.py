#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What MPI_Init costs, in time and memory, beside stock MPICH.

alone: one process as a rank of worlds of 2 to 2^20 with 16 ranks a node (mpirank1); stock with one
       rank a node, as far as --stock-most says, and the address of this process for all others.
real:  MPI_Init and a first MPI_Alltoall of 8 bytes by real ranks, and half a round trip of 8 bytes
       between two; also with Open MPI where it is installed.
hosts: the same start on several hosts (--hosts; maint/hosts, which needs root).

Runs take turns; figures are medians. What must be shown is printed with its figure, met or missed.
Writes bench/results/e5_startup.csv: set,build,ranks,case,median, and a plot beside it where
matplotlib is installed. """
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (
    ROOT,
    add_builds,
    add_quick,
    find_builds,
    numbers,
    paired_ratio,
    take_turns,
    write_rows,
)  # noqa: E402
from worlds import plot, run_alone  # noqa: E402

COLUMNS = "set,build,ranks,case,median".split(",")
SMALL = 2
LARGE = 1 << 20


def alone(build, tool, ranks):
    return {case: float(value) for case, value in run_alone(build, tool, ranks, ["alone"])}


def measure_alone(builds, patched, a):
    tool = patched.prefix / "bin" / "mpirank1"
    found = {}
    for ranks in a.worlds:
        some = [b for b in builds if b is patched or ranks <= a.stock_most]
        found[ranks] = take_turns(
            some, a.rounds, lambda b, n=ranks: alone(b, tool, n), f"world of {ranks}"
        )
        for name, cases in found[ranks].items():
            print(
                f"world {ranks:8} {name:8}",
                *(f"{case} {statistics.median(v):.0f}" for case, v in cases.items()),
            )
    return found


def measure_real(builds, ranks, what, times, rounds):
    def run(build):
        return {case: float(us) for case, us in build.lines(ranks, [what, times], 300)}

    found = take_turns(builds, rounds, run, f"{what}, {ranks} ranks")
    for name, cases in found.items():
        print(
            f"real  {ranks:8} {name:8}",
            *(f"{case} {statistics.median(v):.4g}" for case, v in cases.items()),
        )
    return found


def measure_hosts(builds, a):
    with hosts_up(a.hosts, a.delay):
        some = [on_hosts(build) for build in builds]
        return {("hosts", n): measure_real(some, n, "init", 0, a.rounds) for n in a.host_ranks}


def verdict(what, value, limit):
    print(f"{'met   ' if value <= limit else 'missed'} {what}: {value:.3f} (at most {limit})")


def verdicts(worlds, real):
    if SMALL in worlds and LARGE in worlds:
        small, large = worlds[SMALL]["patched"], worlds[LARGE]["patched"]
        more = {
            case: statistics.median(large[case]) - statistics.median(small[case]) for case in small
        }
        verdict("world of 2^20 over a world of 2: resident MB", more["resident"] / 1e6, 1)
        verdict("world of 2^20 over a world of 2: s in MPI_Init", more["init"] / 1e6, 0.3)
    for (what, ranks), found in real.items():
        if "stock" not in found:
            continue
        ratio = {
            case: paired_ratio(found["patched"][case], found["stock"][case])
            for case in found["patched"]
        }
        if what == "latency":
            verdict("8 bytes between two ranks, ratio to stock", ratio["latency"], 1.02)
            continue
        if what == "init" and ranks == 256:
            verdict("MPI_Init of 256 ranks, ratio to stock", ratio["init"], 0.5)
        where = " on hosts" if what == "hosts" else ""
        verdict(
            f"MPI_Init and MPI_Alltoall of {ranks} ranks{where}, ratio to stock", ratio["both"], 1.0
        )


def draw(worlds, output, doc):
    panels = []
    for case, label in (("init", "us in MPI_Init"), ("resident", "resident bytes after it")):
        lines = {}
        for ranks, found in worlds.items():
            for build, cases in found.items():
                lines.setdefault((build, case), []).append((ranks, statistics.median(cases[case])))
        panels.append((label, lines))
    plot(output.with_name(f"{output.stem}_alone.svg"), panels, doc)


def arguments():
    parser = argparse.ArgumentParser(
        prog="maint/bench startup",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_builds(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--worlds",
        type=numbers,
        metavar="N,...",
        default=[2, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20],
    )
    parser.add_argument(
        "--stock-most", type=int, default=1 << 18, help="largest world of stock (default 2^18)"
    )
    parser.add_argument("--ranks", type=numbers, metavar="N,...", default=[64, 256])
    add_quick(
        parser,
        "2 rounds, worlds of 2, 2^16 and 2^20, stock to 2^16, 64 ranks",
        rounds=2,
        worlds=[2, 1 << 16, 1 << 20],
        stock_most=1 << 16,
        ranks=[64],
    )
    parser.add_argument("--hosts", type=int, default=0, help="hosts (default none)")
    parser.add_argument("--host-ranks", type=numbers, metavar="N,...", default=[16, 64])
    parser.add_argument("--delay", type=int, default=200, help="us from host to host (default 200)")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "bench" / "results" / "e5_startup.csv"
    )
    parser.add_argument(
        "--doc", action="store_true", help="also puts the plot into doc/measurements/plots/"
    )
    return parser.parse_args()


def main():
    a = arguments()
    stock, _, patched = find_builds("startup", a.stock, a.patched)
    builds = [b for b in (stock, patched) if b]
    for build in builds:
        build.compile()
    worlds = measure_alone(builds, patched, a)
    if OpenMPI.present():
        builds.append(OpenMPI("startup"))
        builds[-1].compile()
    real = {("init", ranks): measure_real(builds, ranks, "init", 0, a.rounds) for ranks in a.ranks}
    if a.hosts and may_start("startup"):
        real |= measure_hosts(builds, a)
    real["latency", 2] = measure_real(builds, 2, "latency", 100000, 3 * a.rounds)
    tables = [("alone", ranks, found) for ranks, found in worlds.items()]
    tables += [(what, ranks, found) for (what, ranks), found in real.items()]
    write_rows(
        a.output,
        (
            [name, build, ranks, case, f"{statistics.median(values):.4f}"]
            for name, ranks, found in tables
            for build, cases in found.items()
            for case, values in cases.items()
        ),
        COLUMNS,
    )
    draw(worlds, a.output, ROOT / "doc" / "measurements" / "plots" if a.doc else None)
    verdicts(worlds, real)


if __name__ == "__main__":
    main()
