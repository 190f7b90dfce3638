# SPDX-License-Identifier: BSD-3-Clause
"""Programs run again and again against several builds of MPICH in turn, and what their figures
are made of."""
import bisect
import copy
import csv
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_MEASURED = "not measured"
FORCE = "MPIR_CVAR_CMAP_REPRESENTATION"
ENOUGH = 3  # runs of a build with its cores in one distance
COLUMNS = "bench,build,ranks,case,median_us,p10_us,p90_us,bytes".split(",")


class Build:
    """An installation with the program of an experiment compiled for it, and the environment it
    runs in."""

    prefix_words = []  # before every command
    may_fail = False  # a failure leaves this build out instead of ending the benchmark

    def __init__(self, name, prefix, program, env=None, experiment=None):
        self.name = name
        self.prefix = Path(prefix)
        self.source = ROOT / "bench" / (experiment or program) / f"{program}.c"
        self.program = ROOT / "build" / "bench" / f"{program}-{name.split(':')[0]}"
        self.env = env or {}
        self.mpicc = [self.prefix / "bin" / "mpicc"]
        self.mpiexec = [self.prefix / "bin" / "mpiexec"]

    def with_env(self, env):
        other = copy.copy(self)
        other.env = {**self.env, **env}
        return other

    def compile(self, *more):
        self.program.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*self.mpicc, "-O2", "-o", self.program, self.source, *more], check=True)

    def lines(self, ranks, arguments, timeout):
        """What a run prints, in words."""
        command = [
            *self.prefix_words,
            *self.mpiexec,
            "-n",
            str(ranks),
            self.program,
            *map(str, arguments),
        ]
        done = subprocess.run(
            command,
            env={**os.environ, "MPIEXEC_TIMEOUT": str(timeout), **self.env},
            text=True,
            capture_output=True,
            timeout=timeout + 30,
        )
        if done.returncode:
            raise SystemExit(
                f"{self.source.stem}: {self.name} with {ranks} ranks failed:\n{done.stdout}{done.stderr}"
            )
        return [line.split() for line in done.stdout.splitlines()]


def force(build, representation):
    """The same program with all maps in this representation."""
    other = build.with_env({FORCE: representation})
    other.name = f"{build.name}:{representation}"
    return other


def representations(pt2pt):
    """The representations that a build has, which its program pt2pt lists."""
    return [words[0] for words in pt2pt.lines(1, ["representations"], 60)]


def numbers(text):
    """The numbers of an option's value: "2,16,64"."""
    return [int(n) for n in text.split(",") if n]


def add_quick(parser, text, **defaults):
    """The option --quick; with it these are the defaults of other options, which are there already:
    a default given later would win."""
    late = [name for name in defaults if parser.get_default(name) is None]
    if late:
        raise ValueError(f"--quick stands before {', '.join(late)}")
    parser.add_argument("--quick", action="store_true", help=text)
    if "--quick" in sys.argv:
        parser.set_defaults(**defaults)


def in_turns(builds, rounds, label=""):
    """The builds, each once a round.  Who is first changes from round to round."""
    for k in range(rounds):
        if sys.stderr.isatty():
            print(f"\r{label}: round {k + 1} of {rounds} ", end="", file=sys.stderr, flush=True)
        yield from builds[k % len(builds) :] + builds[: k % len(builds)]
    if sys.stderr.isatty():
        print(file=sys.stderr)


def take_turns(builds, rounds, run, label=""):
    """build name -> case -> figures, one a round.  run(build) is the figure of each case."""
    runs, failed = [], set()
    for build in in_turns(builds, rounds, label):
        if build.name in failed:
            continue
        try:
            runs.append((build.name, run(build)))
        except (SystemExit, subprocess.TimeoutExpired) as why:
            if not build.may_fail:
                raise
            failed.add(build.name)
            print(f"{label}: without {build.name}: {why}", file=sys.stderr)
    return by_build(run for run in runs if run[0] not in failed)


class Failed(Exception):
    """A build in which a program fails."""

    def __init__(self, build, why):
        super().__init__(why)
        self.build = build


def without_failing(builds, measure, run, label, may_fail=lambda build: True):
    """measure(builds, run), and the names of the builds in which the program fails: the others
    begin again without those.  It is None when all of them fail."""
    some, failed = list(builds), []

    def tried(build):
        try:
            return run(build)
        except (SystemExit, subprocess.TimeoutExpired) as why:
            if may_fail(build):
                raise Failed(build, why) from why
            raise

    while some:
        try:
            return measure(some, tried), failed
        except Failed as why:
            print(f"{label}: without {why.build.name}: {why}"[:2000], file=sys.stderr)
            some.remove(why.build)
            failed.append(why.build.name)
    return None, failed


def by_build(runs):
    """build -> case -> figures, of runs: (build, case -> figure, ...)."""
    found = defaultdict(lambda: defaultdict(list))
    for build, cases, *_ in runs:
        for case, us in cases.items():
            found[build][case].append(us)
    return found


def runs_of(cases):
    """How many runs the figures of a build are of."""
    return len(next(iter(cases.values())))


def clusters(values, apart=1.4):
    """The smallest value of each cluster: the next one is larger than all of it by that factor."""
    values = sorted(values)
    return values[:1] + [b for a, b in zip(values, values[1:]) if b > apart * a]


def by_distance(runs):
    """distance -> build -> case -> figures, of runs: (build, case -> figure, what a cache line took
    from core to core first and last).

    A distance is a cluster of such times, named by its median; a run in which it changed is left
    out."""
    starts = clusters(us for _, _, lines in runs for us in lines)
    groups = defaultdict(list)
    for run in runs:
        near = {bisect.bisect(starts, us) for us in run[2]}
        if len(near) < 2:
            groups[near.pop() if near else 0].append(run)
    found = {}
    for _, some in sorted(groups.items()):
        ns = [1e3 * us for _, _, lines in some for us in lines]
        found[f"{statistics.median(ns):.0f} ns" if ns else NOT_MEASURED] = by_build(some)
    return found


def fewest(found, builds):
    """So many runs has each build."""
    return min(map(runs_of, found.values())) if len(found) == len(builds) else 0


def until_enough(builds, rounds, run, label="", distances=1):
    """Runs of each build in turn, as by_distance takes them: at least `rounds`, and up to four
    times as many, until there are so many distances, and each has ENOUGH runs of every build, or
    `rounds`, if that is less.

    run(build): case -> figure, and what a line took."""
    runs = []
    for build in in_turns(builds, 4 * rounds, label):
        runs.append((build.name, *run(build)))
        if len(runs) % len(builds) == 0 and len(runs) >= rounds * len(builds):
            found = by_distance(runs)
            least = min(ENOUGH, rounds)
            enough = [fewest(some, builds) >= least for some in found.values()]
            if len(enough) >= distances and all(enough):
                break
    return runs


def at_one_distance(builds, rounds, run, label=""):
    """(distance, build -> case -> figures): those of the distance in which there are most runs of
    each, and as many of each.

    There are more rounds until these are `rounds`, or four times as many; where no distance then
    has a run of each, they are all runs.  run(build): case -> figure, and what a line took."""
    runs = []
    for build in in_turns(builds, 4 * rounds, label):
        runs.append((build.name, *run(build)))
        if len(runs) % len(builds) == 0:
            distance, found = max(
                by_distance(runs).items(),
                key=lambda item: fewest(item[1], builds),
                default=("", {}),
            )
            if fewest(found, builds) >= rounds:
                break
    n = fewest(found, builds)
    if n == 0:
        return "what it happens to take", by_build(runs)
    return distance, {
        build: {case: us[:n] for case, us in cases.items()} for build, cases in found.items()
    }


def decile(values, k):
    return (
        statistics.quantiles(values, n=10, method="inclusive")[k - 1]
        if len(values) > 1
        else values[0]
    )


def paired_ratio(us, base_us):
    return statistics.median(x / y for x, y in zip(us, base_us))


def row_of(bench, build, ranks, case, us, number_of_bytes):
    """`us`: all figures of the row."""
    return [
        bench,
        build,
        ranks,
        case,
        f"{statistics.median(us):.4f}",
        f"{decile(us, 1):.4f}",
        f"{decile(us, 9):.4f}",
        number_of_bytes,
    ]


def rows_of(bench, ranks, found, number_of_bytes):
    for build, cases in found.items():
        for case, us in cases.items():
            yield row_of(bench, build, ranks, case, us, number_of_bytes)


def write_rows(path, rows, columns=COLUMNS):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows(rows)
    print(f"written: {path}")


def find_builds(program, stock_prefix, patched_prefix):
    """(stock to compare with, stock without the yield, patched); the first two are None when
    absent."""

    def present(name, prefix):
        return (
            Build(name, prefix, program)
            if prefix and (Path(prefix) / "bin" / "mpicc").is_file()
            else None
        )

    plain = os.environ.get("STOCK_INSTALL", ROOT / "install-stock")
    yielding = os.environ.get("STOCK_YIELD_INSTALL", ROOT / "install-stock-yield")
    patched = present("patched", patched_prefix)
    if not patched:
        raise SystemExit(f"{program}: no installation in {patched_prefix}: run maint/build")
    if stock_prefix and not present("stock", stock_prefix):
        raise SystemExit(f"{program}: no installation in {stock_prefix}")
    stock = present("stock", stock_prefix) or present("stock", yielding)
    without_yield = present("stock-no-yield", plain)
    if not stock and without_yield:
        stock = Build("stock", plain, program)
    if not stock:
        print(
            f"{program}: no stock installation (maint/build --stock-yield): no ratios",
            file=sys.stderr,
        )
    return stock, without_yield, patched


def add_builds(parser):
    """The options that say which builds."""
    parser.add_argument(
        "--stock", metavar="PREFIX", help="stock to compare with (default install-stock-yield/)"
    )
    parser.add_argument(
        "--patched",
        metavar="PREFIX",
        default=os.environ.get("CMAP_INSTALL", ROOT / "install"),
        help="the patched build (default install/)",
    )
