#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Point-to-point latency of the patched MPICH beside stock.

Many short runs of bench/pt2pt/pt2pt.c, the builds taking turns; a figure is the median over the
runs of each run's median half round trip of 8 bytes, between the first and the last rank of a
communicator.  The ratio is printed, with two ranks for each distance of their cores: what a cache
line takes from one to the other changes from run to run on a virtual machine, by a factor of four
and more, and with it the latency; each run measures it first and last.

Then the same for every representation of the patched build against array, forced in turn
(MPIR_CVAR_CMAP_REPRESENTATION; the installation says which there are), with --peers-ranks ranks, of
which two exchange messages while the others sleep: the first rank of a communicator with the
second, with the last, and (first-many) what a message costs the first rank when it sends to all
others in random order.  A ratio is the median over the rounds of the ratios in one round; maps that
the representation asked for cannot hold are left out.
  set       an irregular set of ranks
  list      all ranks in random order
  joined    the irregular set and then the rest, by MPI_Intercomm_merge
  in-order, reversed   the first rank with the last one of the world, of its even ranks (level 1),
            of the even ranks of those, and so on; reversed: each level in the order against its
            parent's

The cases waits-BYTES are sends to a process that has posted the receive and waits in a barrier.

The last case, dup_time, is MPI_Comm_dup of the world with more ranks than cores: what the idle
yield is worth.

Writes bench/results/pt2pt.csv: bench,build,ranks,case,median_us,p10_us,p90_us,bytes (bytes of a
message; the deciles are those of the runs' medians). """
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from runs import (
    FORCE,
    ROOT,
    Build,
    add_builds,
    add_quick,
    by_build,
    by_distance,
    find_builds,
    force,
    in_turns,
    paired_ratio,
    representations,
    rows_of,
    runs_of,  # noqa: E402
    take_turns,
    write_rows,
)

MESSAGE_BYTES = 8


class Latency:
    """A run of pt2pt."""

    def __init__(self, ranks, arguments):
        self.ranks, self.arguments = ranks, arguments

    def __call__(self, build):
        """case -> median of this run, in microseconds; without maps that the forced
        representation cannot hold."""
        return self.with_lines(build)[0]

    def with_lines(self, build):
        """The same, and what a cache line took, first and last."""
        forced = build.env.get(FORCE)
        found = build.lines(self.ranks, self.arguments, 300)
        return (
            {
                words[0]: float(words[2])
                for words in found
                if words[0] != "line" and forced in (None, words[5])
            },
            [float(words[1]) for words in found if words[0] == "line"],
        )


def in_turn_by_distance(bench, builds, ranks, run, runs):
    """Prints ratios of stock at each distance of the cores; yields rows."""
    done = [
        (build.name, *run.with_lines(build)) for build in in_turns(builds, runs, f"{ranks} ranks")
    ]
    for distance, some in by_distance(done).items():
        print_ratios(
            some,
            "stock",
            ranks,
            f", a line takes {distance}, {min(map(runs_of, some.values()))} runs",
        )
    return rows_of(bench, ranks, by_build(done), MESSAGE_BYTES)


def print_ratios(found, base, ranks, place=""):
    print(
        f"{ranks} ranks{place}, {'case':<10} "
        + " ".join(f"{name:>16}" for name in found)
        + f"   ratios to {base}"
    )
    for case in next(iter(found.values())):
        medians = {
            name: statistics.median(cases[case]) for name, cases in found.items() if case in cases
        }
        ratios = (
            [f"{medians[name] / medians[base]:.3f}" for name in medians if name != base]
            if base in medians
            else []
        )
        print(
            f"{'':>{len(str(ranks))}}        {case:<10} "
            + " ".join(f"{us:13.3f} us" for us in medians.values())
            + "   "
            + " ".join(ratios),
            flush=True,
        )


def print_peers(found, ranks):
    """Ratios to array, round by round: `found` is build name -> case -> medians of the rounds."""
    base = found["patched:array"]
    print(
        f"{ranks} ranks: us with array, and ratios to it\n{'case':<20} {'array us':>9} "
        + " ".join(f"{name.split(':')[1]:>9}" for name in found)
    )
    for case, base_us in base.items():
        cells = [
            f"{paired_ratio(cases[case], base_us):9.3f}" if case in cases else f"{'-':>9}"
            for cases in found.values()
        ]
        print(f"{case:<20} {statistics.median(base_us):9.4f} " + " ".join(cells), flush=True)


def measure_forced(patched, a, mode, place=lambda build: build):
    names = [
        name
        for name in representations(patched)
        if not a.representations or name == "array" or name in a.representations.split(",")
    ]
    forced = [place(force(patched, name)) for name in names]
    rounds = max(3, a.runs // 2)
    found = take_turns(
        forced, rounds, Latency(a.peers_ranks, [mode, a.batches, a.trips]), f"{a.peers_ranks} ranks"
    )
    found = {build.name: found[build.name] for build in forced if found[build.name]}
    print_peers(found, a.peers_ranks)
    where = "-hosts" if place is on_hosts else ""
    return rows_of(mode + where, a.peers_ranks, found, MESSAGE_BYTES)


def levels_between_hosts(patched, a):
    """The first rank is on the first host, and the last one of each level on the last host."""
    if not may_start("pt2pt"):
        return []
    print(f"levels, {a.hosts} hosts:")
    with hosts_up(a.hosts):
        return measure_forced(patched, a, "levels", on_hosts)


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench pt2pt",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("--ranks", type=int, default=2, help="ranks of the latency runs (default 2)")
    ap.add_argument("--runs", type=int, default=25, help="runs of each build (default 25)")
    ap.add_argument("--batches", type=int, default=40, help="batches a run and case (default 40)")
    ap.add_argument("--trips", type=int, default=500, help="round trips a batch (default 500)")
    ap.add_argument(
        "--dup-ranks", type=int, default=4, help="ranks of dup_time (default 4; 0: leave it out)"
    )
    ap.add_argument(
        "--waiting-ranks",
        type=int,
        default=8,
        help="ranks that wait in a barrier, beside those of --ranks (default 8)",
    )
    ap.add_argument(
        "--peers-ranks",
        type=int,
        default=24,
        help="ranks of the forced representations (default 24)",
    )
    ap.add_argument(
        "--representations",
        metavar="NAME,...",
        help="force only these, and array (default: all there are)",
    )
    ap.add_argument(
        "--hosts",
        type=int,
        default=0,
        metavar="K",
        help="also the levels between K hosts (maint/hosts; needs root)",
    )
    ap.add_argument("--no-forced", action="store_true", help="leave out the forced representations")
    ap.add_argument("--only-forced", action="store_true", help="nothing else")
    add_quick(ap, "5 runs", runs=5)
    ap.add_argument(
        "--realtime",
        action="store_true",
        help="run under chrt -r 1 (as root): other programs, which a yield would give the core to, wait",
    )
    add_builds(ap)
    ap.add_argument(
        "--output", metavar="FILE", type=Path, default=ROOT / "bench" / "results" / "pt2pt.csv"
    )
    a = ap.parse_args()
    if a.realtime:
        Build.prefix_words = ["chrt", "-r", "1"]
    if a.peers_ranks < 16:
        ap.error("--peers-ranks: at least 16, smaller maps have no payload")
    return a


def main():
    a = arguments()
    stock, without_yield, patched = find_builds("pt2pt", a.stock, a.patched)
    for build in filter(None, (stock, without_yield, patched)):
        build.compile()
    rows = []

    if not a.only_forced:
        builds = [b for b in (stock, patched) if b]
        rows += in_turn_by_distance(
            "pt2pt", builds, a.ranks, Latency(a.ranks, ["latency", a.batches, a.trips]), a.runs
        )
        for ranks in a.ranks, a.waiting_ranks:
            waits = Latency(ranks, ["waits", a.batches, max(1, a.trips // 25)])
            rows += in_turn_by_distance("waits", builds, ranks, waits, max(2, a.runs // 2))

    if not a.no_forced:
        for mode in "peers", "levels":
            rows += measure_forced(patched, a, mode)
        if a.hosts:
            rows += levels_between_hosts(patched, a)

    if a.dup_ranks and not a.only_forced:
        builds = [b for b in (stock, without_yield, patched) if b]
        found = take_turns(
            builds,
            max(1, a.runs // 5),
            Latency(a.dup_ranks, ["dup_time", 60]),
            f"{a.dup_ranks} ranks",
        )
        print_ratios(found, "stock", a.dup_ranks)
        rows += rows_of("dup", a.dup_ranks, found, 0)

    write_rows(a.output, rows)


if __name__ == "__main__":
    main()
