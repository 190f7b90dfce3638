#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Point-to-point latency of the patched MPICH beside stock.

Many short runs of bench/pt2pt.c, the builds taking turns; a figure is the median over the runs of each run's
median half round trip of 8 bytes, between the first and the last rank of a communicator.  The ratio is printed.

Then the same for every representation of the patched build against array, forced in turn
(MPIR_CVAR_CMAP_REPRESENTATION; the installation says which there are), with --peers-ranks ranks, of which two exchange
messages while the others sleep: the first rank of a communicator with the second, with the last, and (first-many) what
a message costs the first rank when it sends to all others in random order.  A ratio is the median over the rounds of the
ratios in one round; maps that the representation asked for cannot hold are left out.
  set       an irregular set of ranks
  list      all ranks in random order
  joined    the irregular set and then the rest, by MPI_Intercomm_merge

The last case, dup_time, is MPI_Comm_dup of the world with more ranks than cores: what the idle yield is worth.

Writes bench/results/pt2pt.csv: bench,build,ranks,case,median_us,p10_us,p90_us,bytes (bytes of a message; the deciles
are those of the runs' medians).
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORCE = "MPIR_CVAR_CMAP_REPRESENTATION"
MESSAGE_BYTES = 8


class Build:
    prefix_words = []  # before every command

    def __init__(self, name, prefix, forced=None):
        self.name = f"{name}:{forced}" if forced else name
        self.prefix = Path(prefix)
        self.forced = forced
        self.env = {FORCE: forced} if forced else {}
        self.program = ROOT / "build" / "bench" / f"pt2pt-{name}"

    def compile(self):
        self.program.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([self.prefix / "bin" / "mpicc", "-O2", "-o", self.program, ROOT / "bench" / "pt2pt.c"], check=True)

    def lines(self, ranks, arguments, timeout):
        command = [*self.prefix_words, self.prefix / "bin" / "mpiexec", "-n", str(ranks), self.program, *map(str, arguments)]
        done = subprocess.run(command, env={**os.environ, **self.env}, text=True, capture_output=True, timeout=timeout)
        if done.returncode:
            raise SystemExit(f"pt2pt: {self.name} with {ranks} ranks failed:\n{done.stdout}{done.stderr}")
        return [line.split() for line in done.stdout.splitlines()]

    def run(self, ranks, arguments, timeout):
        """case -> median of this run, in microseconds; without maps that the forced representation cannot hold."""
        return {case: float(median) for case, _, median, _, _, representation in self.lines(ranks, arguments, timeout)
                if self.forced in (None, representation)}

    def representations(self):
        return [words[0] for words in self.lines(1, ["representations"], 60)]


def take_turns(builds, ranks, arguments, runs, timeout):
    """build name -> case -> medians of the runs.  Who is first changes from round to round."""
    found = defaultdict(lambda: defaultdict(list))
    for k in range(runs):
        for build in builds[k % len(builds):] + builds[:k % len(builds)]:
            for case, us in build.run(ranks, arguments, timeout).items():
                found[build.name][case].append(us)
        if sys.stderr.isatty():
            print(f"\r{ranks} ranks: round {k + 1} of {runs} ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return found


def decile(values, k):
    return statistics.quantiles(values, n=10, method="inclusive")[k - 1] if len(values) > 1 else values[0]


def rows_of(bench, ranks, found, message_bytes):
    for build, cases in found.items():
        for case, us in cases.items():
            yield [bench, build, ranks, case, f"{statistics.median(us):.4f}", f"{decile(us, 1):.4f}",
                   f"{decile(us, 9):.4f}", message_bytes]


def print_ratios(found, base, ranks):
    print(f"{ranks} ranks, {'case':<10} " + " ".join(f"{name:>16}" for name in found) + f"   ratios to {base}")
    for case in next(iter(found.values())):
        medians = {name: statistics.median(cases[case]) for name, cases in found.items() if case in cases}
        ratios = [f"{medians[name] / medians[base]:.3f}" for name in medians if name != base] if base in medians else []
        print(f"{'':>{len(str(ranks))}}        {case:<10} " + " ".join(f"{us:13.3f} us" for us in medians.values()) +
              "   " + " ".join(ratios), flush=True)


def paired_ratio(us, base_us):
    return statistics.median(x / y for x, y in zip(us, base_us))


def print_peers(found, ranks):
    """Ratios to array, round by round: `found` is build name -> case -> medians of the rounds."""
    base = found["patched:array"]
    print(f"{ranks} ranks: us with array, and ratios to it\n{'case':<20} {'array us':>9} " +
          " ".join(f"{name.split(':')[1]:>9}" for name in found))
    for case, base_us in base.items():
        cells = [f"{paired_ratio(cases[case], base_us):9.3f}" if case in cases else f"{'-':>9}" for cases in found.values()]
        print(f"{case:<20} {statistics.median(base_us):9.4f} " + " ".join(cells), flush=True)


def measure_peers(patched, a):
    names = [name for name in patched.representations()
             if not a.representations or name == "array" or name in a.representations.split(",")]
    forced = [Build("patched", patched.prefix, name) for name in names]
    rounds = max(3, a.runs // 2)
    found = take_turns(forced, a.peers_ranks, ["peers", a.batches, a.trips], rounds, 300)
    found = {build.name: found[build.name] for build in forced if found[build.name]}
    print_peers(found, a.peers_ranks)
    return rows_of("peers", a.peers_ranks, found, MESSAGE_BYTES)


def find_builds(a):
    """(stock to compare with, stock without the yield or None, patched); absent ones are None."""
    def present(name, prefix):
        return Build(name, prefix) if prefix and (Path(prefix) / "bin" / "mpicc").is_file() else None

    plain = os.environ.get("STOCK_INSTALL", ROOT / "install-stock")
    yielding = os.environ.get("STOCK_YIELD_INSTALL", ROOT / "install-stock-yield")
    patched = present("patched", a.patched)
    if not patched:
        raise SystemExit(f"pt2pt: no installation in {a.patched}: run maint/build")
    if a.stock and not present("stock", a.stock):
        raise SystemExit(f"pt2pt: no installation in {a.stock}")
    stock = present("stock", a.stock) or present("stock", yielding)
    without_yield = present("stock-no-yield", plain)
    if not stock and without_yield:
        stock = Build("stock", plain)
    if not stock:
        print("pt2pt: no stock installation (maint/build --stock-yield): no ratios", file=sys.stderr)
    return stock, without_yield, patched


def arguments():
    ap = argparse.ArgumentParser(prog="maint/bench pt2pt", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--ranks", type=int, default=2, help="ranks of the latency runs (default 2)")
    ap.add_argument("--runs", type=int, default=25, help="runs of each build (default 25)")
    ap.add_argument("--batches", type=int, default=40, help="batches a run and case (default 40)")
    ap.add_argument("--trips", type=int, default=500, help="round trips a batch (default 500)")
    ap.add_argument("--dup-ranks", type=int, default=4, help="ranks of dup_time (default 4; 0: leave it out)")
    ap.add_argument("--peers-ranks", type=int, default=24, help="ranks of the forced representations (default 24)")
    ap.add_argument("--representations", metavar="NAME,...", help="force only these, and array (default: all there are)")
    ap.add_argument("--no-forced", action="store_true", help="leave out the forced representations")
    ap.add_argument("--only-forced", action="store_true", help="nothing else")
    ap.add_argument("--quick", action="store_true", help="5 runs")
    ap.add_argument("--realtime", action="store_true",
                    help="run under chrt -r 1 (as root): other programs, which a yield would give the core to, wait")
    ap.add_argument("--stock", metavar="PREFIX", help="stock to compare with (default install-stock-yield/)")
    ap.add_argument("--patched", metavar="PREFIX", default=os.environ.get("CMAP_INSTALL", ROOT / "install"),
                    help="the patched build (default install/)")
    ap.add_argument("--output", metavar="FILE", type=Path, default=ROOT / "bench" / "results" / "pt2pt.csv")
    a = ap.parse_args()
    if a.quick:
        a.runs = 5
    if a.realtime:
        Build.prefix_words = ["chrt", "-r", "1"]
    if a.peers_ranks < 16:
        ap.error("--peers-ranks: at least 16, smaller maps have no payload")
    return a


def main():
    a = arguments()
    stock, without_yield, patched = find_builds(a)
    for build in filter(None, (stock, without_yield, patched)):
        build.compile()
    rows = []

    if not a.only_forced:
        found = take_turns([b for b in (stock, patched) if b], a.ranks, ["latency", a.batches, a.trips], a.runs, 300)
        print_ratios(found, "stock", a.ranks)
        rows += rows_of("pt2pt", a.ranks, found, MESSAGE_BYTES)

    if not a.no_forced:
        rows += measure_peers(patched, a)

    if a.dup_ranks and not a.only_forced:
        builds = [b for b in (stock, without_yield, patched) if b]
        found = take_turns(builds, a.dup_ranks, ["dup_time", 60], max(1, a.runs // 5), 300)
        print_ratios(found, "stock", a.dup_ranks)
        rows += rows_of("dup", a.dup_ranks, found, 0)

    a.output.parent.mkdir(parents=True, exist_ok=True)
    with open(a.output, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow("bench,build,ranks,case,median_us,p10_us,p90_us,bytes".split(","))
        out.writerows(rows)
    print(f"written: {a.output}")


if __name__ == "__main__":
    main()
