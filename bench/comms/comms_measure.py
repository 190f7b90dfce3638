# SPDX-License-Identifier: BSD-3-Clause
"""comms_measure.py RESULTS ...: runs bench/comms/comms.c with stock, with ours and with Open MPI in
turn, and writes

  e4_comms.csv         creation, also between hosts with delayed links (maint/hosts, which needs
                       root), beside an idup that waits and by several threads at once, latency
                       with many communicators alive, memory, limit:
                       bench,build,ranks,case,median_us,p10_us,p90_us,bytes
  e4_cid.csv           the stress test: the same; cases: the splits number FROM to TO, and the
                       means of the runs
  e4_rounds.csv        each round's figure, from which the ratios are taken:
                       bench,build,ranks,case,round,figure
  e4_cid_times.csv     each split of the stress test: bench,build,ranks,round,number,us
  e4_cid_density.csv   the tables of ids, mean over the run and at its end:
                       bench,build,ranks,rank,density,used,allocated

Runs of the builds take turns; a run's figure is the median of its batches, a row's median and
deciles are those of the runs (of all splits, where the case is splits)."""
import argparse
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (
    Build,
    add_builds,
    add_quick,
    find_builds,
    in_turns,
    numbers,
    row_of,
    rows_of,
    take_turns,
    write_rows,
)  # noqa: E402

PARTS = ("create", "pending", "threads", "alive", "stress", "memory", "limit", "hosts")
TABLE = "MPIR_CVAR_CTXID_TABLE"
KINDS = ("array", "rbtree", "radix")
SHAPES = ("small", "large")
BLOCK = 1000  # splits of the stress test that are one case
LEAST_STRESS_RANKS = 16
MOST_MEMORY_RANKS = 16
ALIVE = (0, 1000, 10000, 100000)  # communicators, figure 5 of the paper
THREADS = (1, 2, 4)


class Results:
    def __init__(self):
        self.comms, self.cid, self.rounds, self.times, self.density = [], [], [], [], []

    def add_rounds(self, bench, ranks, found):
        for build, cases in found.items():
            for case, figures in cases.items():
                self.rounds += [
                    [bench, build, ranks, case, k, f"{x:.4f}"] for k, x in enumerate(figures)
                ]

    def write(self, path):
        write_rows(path / "e4_comms.csv", self.comms)
        write_rows(path / "e4_cid.csv", self.cid)
        write_rows(
            path / "e4_rounds.csv", self.rounds, "bench,build,ranks,case,round,figure".split(",")
        )
        write_rows(
            path / "e4_cid_times.csv", self.times, "bench,build,ranks,round,number,us".split(",")
        )
        write_rows(
            path / "e4_cid_density.csv",
            self.density,
            "bench,build,ranks,rank,density,used,allocated".split(","),
        )


def rounds_for(ranks, a):
    """Runs with more ranks than cores are long, and have many processes to take the mean of."""
    return (
        a.rounds
        if ranks <= 4
        else max(3, a.rounds * 3 // 5)
        if ranks <= 16
        else max(3, a.rounds // 3)
    )


# ---- creation, memory, limit


def measure_creation(builds, ranks, a, results, bench="create"):
    def run(build):
        return {
            case: float(median)
            for case, median, _, _ in build.lines(ranks, ["create", a.batches, a.times], 600)
        }

    found = take_turns(builds, rounds_for(ranks, a), run, f"{bench}, {ranks} ranks")
    results.comms += rows_of(bench, ranks, found, "")
    results.add_rounds(bench, ranks, found)


def measure_hosts(builds, a, results):
    with hosts_up(a.hosts, a.delay):
        for ranks in a.host_ranks:
            measure_creation([on_hosts(build) for build in builds], ranks, a, results, "hosts")


def measure_pending(patched, a, results):
    """Of ours: in stock the other creations wait for the idup, too, which here is for ever."""

    def run(build):
        return {
            case: float(median)
            for case, median, _, _ in build.lines(3, ["pending", a.batches, a.times], 600)
        }

    found = take_turns([patched], rounds_for(3, a), run, "beside an idup, 3 ranks")
    results.comms += rows_of("pending", 3, found, "")
    results.add_rounds("pending", 3, found)


def of_program(build, program):
    """The same build with another program of this experiment."""
    other = Build(build.name, build.prefix, program, build.env, experiment="comms")
    other.mpicc, other.mpiexec = build.mpicc, build.mpiexec
    return other


def measure_alive(builds, patched, a, results):
    """Latency on the world and on the newest communicator, by how many are alive; ours with each
    table of ids."""
    ours = [patched.with_env({TABLE: kind}) for kind in KINDS]
    for build, kind in zip(ours, KINDS):
        build.name = f"{patched.name}:{kind}"
    builds = [of_program(b, "comms_alive") for b in (*ours, *builds) if b.name != patched.name]
    for build in {build.program: build for build in builds}.values():
        build.compile()

    def run(build):
        lines = build.lines(2, [min(100, 10 * a.batches), a.messages // 4, *a.alive], 1800)
        return {
            f"{place}, {number} alive": float(us)
            for number, *both in lines
            for place, us in zip(("world", "newest"), both)
        }

    found = take_turns(builds, rounds_for(2, a), run, "alive, 2 ranks")
    results.comms += rows_of("alive", 2, found, "")
    results.add_rounds("alive", 2, found)


def measure_threads(builds, a, results):
    builds = [of_program(build, "comms_threads") for build in builds]
    for build in builds:
        build.compile("-pthread")

    def run(build):
        lines = build.lines(2, [a.batches, a.times, *THREADS], 900)
        return {f"{threads} threads": float(us) for threads, us in lines}

    found = take_turns(builds, rounds_for(16, a), run, "threads, 2 ranks")
    results.comms += rows_of("threads", 2, found, "")
    results.add_rounds("threads", 2, found)


def measure_memory(builds, ranks, a, results):
    def run(build):
        return {"dup": float(build.lines(ranks, ["memory", a.duplicates], 600)[0][1])}

    found = take_turns(builds, 3, run, f"memory, {ranks} ranks")
    results.comms += [
        ["memory", build, ranks, "dup", "", "", "", f"{statistics.median(cases['dup']):.0f}"]
        for build, cases in found.items()
    ]
    results.add_rounds("memory", ranks, found)


def measure_limit(builds, a, results):
    for build in builds:
        _, number, end, again = build.lines(2, ["limit", a.most], 1800)[0]
        results.comms.append(["limit", build.name, 2, f"{number} {end} {again}", "", "", "", ""])


# ---- the stress test


def stress(build, ranks, shape, number, results, k):
    """us of each split."""
    lines = build.lines(ranks, [shape, number], 1800)
    us = [float(words[1]) for words in lines if words[0] == "split"]
    results.times += [[shape, build.name, ranks, k, i, f"{x:.2f}"] for i, x in enumerate(us)]
    if k == 0:
        density = [words[1:] for words in lines if words[0] == "density"]
        results.density += [
            [shape, build.name, ranks, rank, *words] for rank, words in enumerate(density)
        ]
    return us


def add_blocks(bench, build, ranks, runs, results):
    """Rows for BLOCK splits each: do they take longer the more communicators there are?"""
    number = len(runs[0])
    for begin in range(0, number, BLOCK):
        end = min(begin + BLOCK, number)
        us = [x for run in runs for x in run[begin:end]]
        results.cid.append(row_of(bench, build, ranks, f"splits {begin} to {end}", us, ""))


def measure_stress(builds, ranks, a, results):
    for shape in SHAPES:
        runs = {build.name: [] for build in builds}
        for build in in_turns(builds, a.stress_rounds, f"{shape}, {ranks} ranks"):
            mine = runs[build.name]
            mine.append(stress(build, ranks, shape, a.communicators, results, len(mine)))
        means = {
            name: {"mean": [statistics.mean(us) for us in mine]} for name, mine in runs.items()
        }
        for name, mine in runs.items():
            add_blocks(shape, name, ranks, mine, results)
        results.cid += rows_of(shape, ranks, means, "")
        results.add_rounds(shape, ranks, means)


def measure_flatness(patched, ranks, a, results):
    """More communicators than stock can have, and the density of the other tables."""
    has_density = any(row[1] == patched.name for row in results.density)
    for shape in SHAPES:
        builds = [
            Build(f"{patched.name}:{kind}", patched.prefix, "comms", {TABLE: kind})
            for kind in KINDS
        ]
        runs = {build.name: [] for build in builds if has_density or build is builds[0]}
        for build in in_turns(
            [build for build in builds if build.name in runs],
            a.stress_rounds,
            f"{shape}, {ranks} ranks, {a.flat} splits",
        ):
            mine = runs[build.name]
            mine.append(stress(build, ranks, shape, a.flat, results, len(mine)))
        for name, mine in runs.items():
            add_blocks(shape, name, ranks, mine, results)
            blocks = [
                [statistics.median(us[i : i + BLOCK]) for i in range(0, len(us), BLOCK)]
                for us in mine
            ]
            results.add_rounds(
                shape,
                ranks,
                {
                    name: {
                        "first": [of_run[0] for of_run in blocks],
                        "last": [of_run[-1] for of_run in blocks],
                    }
                },
            )


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench comms",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("results", type=pathlib.Path)
    ap.add_argument(
        "--ranks",
        default="2,16,64",
        help="numbers of ranks (default 2,16,64; the stress test from 16 on)",
    )
    ap.add_argument(
        "--rounds",
        type=int,
        default=15,
        help="runs of each build with 2 ranks; fewer with more (default 15)",
    )
    ap.add_argument("--batches", type=int, default=7, help="batches a run and case (default 7)")
    ap.add_argument("--times", type=int, default=20, help="communicators a batch (default 20)")
    ap.add_argument(
        "--communicators",
        type=int,
        default=2000,
        help="of the stress test (default 2000: stock ends at 2,046)",
    )
    ap.add_argument(
        "--stress-rounds", type=int, default=3, help="runs of the stress test (default 3)"
    )
    ap.add_argument(
        "--flat",
        type=int,
        default=10000,
        metavar="N",
        help="splits of the stress test of ours alone (default 10000; 0: none)",
    )
    ap.add_argument(
        "--alive",
        default=",".join(map(str, ALIVE)),
        metavar="N,...",
        help="communicators that are alive while messages are timed (default %(default)s)",
    )
    ap.add_argument("--messages", type=int, default=2000, help="round trips a batch (default 2000)")
    ap.add_argument(
        "--duplicates",
        type=int,
        default=1500,
        help="live duplicates for the memory of one (default 1500)",
    )
    ap.add_argument(
        "--most",
        type=int,
        default=140000,
        help="duplicates after which to stop when there is no error (default 140000)",
    )
    ap.add_argument(
        "--only", metavar="PART,...", default=",".join(PARTS), help=f"parts, of {','.join(PARTS)}"
    )
    ap.add_argument(
        "--realtime",
        action="store_true",
        help="run under chrt -r 1 (as root): other programs, which a yield would give the core to, wait",
    )
    ap.add_argument("--hosts", type=int, default=4, help="hosts (default %(default)s)")
    ap.add_argument(
        "--host-ranks", default="4,16", help="numbers of ranks on the hosts (default %(default)s)"
    )
    ap.add_argument(
        "--delay", type=int, default=200, help="us from host to host (default %(default)s)"
    )
    add_quick(
        ap,
        "unless said otherwise 2 and 16 ranks, 2 runs of 3 batches, 200 splits",
        ranks="2,16",
        rounds=2,
        batches=3,
        times=10,
        communicators=200,
        messages=500,
        duplicates=500,
        stress_rounds=1,
        flat=0,
        most=3000,
        alive="0,1000,10000",
        host_ranks="4",
    )
    ap.add_argument("--without-openmpi", action="store_true")
    add_builds(ap)
    a = ap.parse_args()
    if a.realtime:
        Build.prefix_words = ["chrt", "-r", "1"]
    a.ranks = numbers(a.ranks)
    a.host_ranks = numbers(a.host_ranks)
    a.alive = a.alive.split(",")
    a.only = a.only.split(",")
    if not set(a.only) <= set(PARTS):
        ap.error(f"--only: {','.join(PARTS)} can be named")
    return a


def main():
    a = arguments()
    stock, _, patched = find_builds("comms", a.stock, a.patched)
    openmpi = OpenMPI("comms") if OpenMPI.present() and not a.without_openmpi else None
    if not openmpi:
        print("comms: without Open MPI (maint/build --openmpi)", file=sys.stderr)
    builds = [build for build in (stock, patched, openmpi) if build]
    for build in builds:
        build.compile()
    results = Results()
    for ranks in a.ranks:
        if "create" in a.only:
            measure_creation(builds, ranks, a, results)
        if "memory" in a.only and ranks <= MOST_MEMORY_RANKS:
            measure_memory(builds, ranks, a, results)
        if "stress" in a.only and ranks >= LEAST_STRESS_RANKS:
            measure_stress(builds, ranks, a, results)
    if "pending" in a.only:
        measure_pending(patched, a, results)
    if "threads" in a.only:
        measure_threads(builds, a, results)
    if "alive" in a.only:
        measure_alive(builds, patched, a, results)
    if "limit" in a.only:
        measure_limit(builds, a, results)
    stress_ranks = [ranks for ranks in a.ranks if ranks >= LEAST_STRESS_RANKS]
    if "stress" in a.only and a.flat and stress_ranks:
        measure_flatness(patched, stress_ranks[0], a, results)
    if "hosts" in a.only and may_start("comms"):
        measure_hosts(builds, a, results)
    results.write(a.results)


if __name__ == "__main__":
    main()
