# SPDX-License-Identifier: BSD-3-Clause
"""osu_measure.py RESULTS ...: launches the OSU micro-benchmarks, or bench/osu/osu_rows.c, with each
library in turn, and writes

  e10_osu.csv   each launch's figures: source,group,program,window,sync,ranks,cores,what,bytes,
                library,launch,first_us,last_us,figure

"source" is osu or rows; "what" us (a time), pure-us (a nonblocking collective without computation),
MB/s or msg/s; first_us and last_us what a cache line took from core to core when the program began
and ended, where there are two processes and as many cores.  There are --rounds launches of each
library, and up to four times as many, until two distances of the cores have been seen and each has
three launches of every library.  A program that fails in a library has a row with "failed" instead,
and is not compared."""
import argparse
import itertools
import os
import pathlib
import sys
from dataclasses import dataclass

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import osu_programs as osu  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (
    ROOT,
    Build,
    add_builds,
    add_quick,
    find_builds,
    in_turns,
    numbers,
    until_enough,
    without_failing,
    write_rows,
)  # noqa: E402

COLUMNS = (
    "source,group,program,window,sync,ranks,cores,what,bytes,library,launch,first_us,last_us,figure"
).split(",")
SETS = tuple(osu.NAMES)
PAIRS = ("pt2pt", "one-sided")  # of two processes
IN_THREE_WAYS = ("blocking", "persistent")  # ours have rows that the OSU programs lack
LEAST = 8  # bytes of a message of ours
LIBRARIES = ("patched", "openmpi", "stock")
DISTANCES = 2
TIMEOUT = 900


@dataclass
class Launch:
    source: str
    group: str
    program: str  # empty: a launch of ours has many
    window: str
    sync: str
    ranks: int

    def name(self):
        words = (self.group, self.program, self.window, self.sync, f"{self.ranks} ranks")
        return " ".join(filter(None, words))


class Library:
    """A build with osu_rows, the library that shows the time of a line, and OSU programs."""

    def __init__(self, build, folder):
        self.name, self.build = build.name, build
        self.programs = osu.programs_under(folder) if folder else {}
        self.line = self.of(build, "osu_line", build.program.with_name(f"osu_line-{self.name}.so"))

    @staticmethod
    def of(build, source, program):
        made = build.with_env({})
        made.source = ROOT / "bench" / "osu" / f"{source}.c"
        made.program = program
        return made

    def compile(self):
        parts = [self.build.source.with_name(f"osu_rows_{part}.c") for part in PARTS]
        # gcc takes MPI_STATUSES_IGNORE of stock MPICH for an array of none
        self.build.compile(*parts, "-Wno-stringop-overflow")
        self.line.compile("-shared", "-fPIC")

    def lines(self, launch, a):
        if launch.source == "rows":
            words = [launch.group, a.most, a.batches, a.batch_us, launch.window, launch.sync]
            return self.build.lines(launch.ranks, filter(None, words), TIMEOUT)
        words = osu.options(launch.group, launch.program, a)
        if launch.window:
            words += ["-w", launch.window, "-s", launch.sync]
        env = self.of(self.build, "osu_line", "env")  # mpiexec itself does not load it
        preload = f"LD_PRELOAD={self.line.program}"
        return env.lines(launch.ranks, [preload, self.programs[launch.program], *words], TIMEOUT)


PARTS = ("pt2pt", "coll", "rma")


def figures(launch, lines):
    """(program, what, bytes) -> figure"""
    if launch.source == "osu":
        found = {launch.program: osu.figures(lines)}
    else:
        found = osu.own_figures(lines)
    return {(program, *row): x for program, rows in found.items() for row, x in rows.items()}


def measure(launch, libraries, a):
    """(library, figures, what a line took) of each launch, and the names of the libraries in which
    the program fails."""

    def run(library):
        lines = library.lines(launch, a)
        return figures(launch, lines), osu.times_of_lines(lines)

    def in_turn(some, tried):
        if launch.ranks == 2 and os.cpu_count() > 1:
            return until_enough(some, a.rounds, tried, launch.name(), a.distances)
        return [(one.name, *tried(one)) for one in in_turns(some, a.rounds, launch.name())]

    done, failed = without_failing(libraries, in_turn, run, launch.name())
    return done or [], failed


def ranks_of(group, a, source="rows"):
    """The OSU programs want two neighbours that are not the same."""
    if group in PAIRS:
        return [2]
    if group == "neighbourhood" and source == "osu":
        return [n for n in a.ranks if n > 2] or [4]
    return a.ranks


def own_launches(groups, a):
    for group in groups:
        for ranks in ranks_of(group, a):
            if group != "one-sided":
                yield Launch("rows", group, "", "", "", ranks)
                continue
            for window in osu.WINDOWS:
                for sync in osu.SYNCS:
                    yield Launch("rows", group, "", window, sync, ranks)


def osu_launches(libraries, a):
    """Of the programs that every library has."""
    for group in a.sets:
        for program in osu.NAMES[group]:
            without = [library.name for library in libraries if program not in library.programs]
            if without:
                print(f"osu: no osu_{program} of {', '.join(without)}", file=sys.stderr)
                continue
            for window, sync in osu.epochs(program) if group == "one-sided" else [("", "")]:
                for ranks in ranks_of(group, a, "osu"):
                    yield Launch("osu", group, program, window, sync, ranks)


def launches(libraries, a):
    if not a.programs:
        yield from own_launches(a.sets, a)
        return
    yield from osu_launches(libraries, a)
    yield from own_launches([group for group in a.sets if group in IN_THREE_WAYS], a)


def rows(launch, done, failed):
    def row(library, k, program, what, number, times, x):
        place = [launch.window, launch.sync, launch.ranks, os.cpu_count()]
        first = [launch.source, launch.group, program, *place, what, number, library, k]
        return [*first, *times, f"{x:.4f}"]

    for k, (library, cases, lines) in enumerate(done):
        times = [f"{us:.4f}" for us in lines] if len(lines) == 2 else ["", ""]
        for (program, what, number), x in cases.items():
            yield row(library, k, program, what, number, times, x)
    for library in failed:
        yield row(library, 0, launch.program, "failed", 0, ["", ""], 0)


def named_folders(parser, texts):
    """library -> folder"""
    found = {}
    for text in texts:
        library, _, folder = text.partition(":")
        if library not in LIBRARIES or not folder:
            parser.error(f"--programs={text}: LIBRARY:DIR, with one of {', '.join(LIBRARIES)}")
        found[library] = pathlib.Path(folder)
        if not osu.programs_under(found[library]):
            parser.error(f"--programs={text}: no osu_* programs there")
    if found and "patched" not in found:
        parser.error("--programs: ours, patched:DIR, is missing")
    return found


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench osu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("results", type=pathlib.Path)
    ap.add_argument("--programs", action="append", default=[], metavar="LIBRARY:DIR")
    ap.add_argument("--sets", default=",".join(SETS), help=f"of {','.join(SETS)} (default all)")
    ap.add_argument(
        "--ranks", default="2,8", help="of collectives, even (default 2,8); the others have 2"
    )
    ap.add_argument("--most", type=int, default=1 << 20, help="bytes of a message (default 1 MiB)")
    ap.add_argument("--rounds", type=int, default=3, help="launches of a library (default 3)")
    ap.add_argument(
        "--distances",
        type=int,
        default=DISTANCES,
        help=f"of the cores, to be seen by more launches (default {DISTANCES})",
    )
    ap.add_argument("--batches", type=int, default=7, help="of a row of ours (default 7)")
    ap.add_argument(
        "--batch-us", type=int, default=2000, help="which a batch of ours takes (default 2000)"
    )
    ap.add_argument(
        "--iterations",
        type=int,
        default=0,
        help="of an OSU program, with a tenth to warm up (default 0: as many as it likes)",
    )
    ap.add_argument("--libraries", default=",".join(LIBRARIES), help="(default all that are there)")
    add_quick(
        ap,
        "unless said otherwise 1 round, 1 distance, messages of at most 4 KiB, 200 iterations",
        rounds=1,
        distances=1,
        most=4096,
        batch_us=200,
        iterations=200,
    )
    add_builds(ap)
    a = ap.parse_args()
    a.sets, a.ranks, a.libraries = a.sets.split(","), numbers(a.ranks), a.libraries.split(",")
    for option, allowed in ("sets", SETS), ("libraries", LIBRARIES):
        if not set(getattr(a, option)) <= set(allowed):
            ap.error(f"--{option}: {','.join(allowed)} can be named")
    if a.most < LEAST:
        ap.error(f"--most: at least {LEAST}")
    if any(n < 2 or n % 2 for n in a.ranks):
        ap.error("--ranks: even numbers")
    a.programs = named_folders(ap, a.programs)
    return a


def find_libraries(a):
    stock, _, patched = find_builds("osu_rows", a.stock, a.patched)
    found = [stock, OpenMPI("osu_rows") if OpenMPI.present() else None, patched]
    wanted = [b for b in found if b and b.name in (a.programs or a.libraries)]
    missing = set(a.programs) - {build.name for build in wanted}
    if missing:
        raise SystemExit(f"osu: there is no installation of {', '.join(missing)}")
    made = []
    for build in wanted:
        build.source = ROOT / "bench" / "osu" / "osu_rows.c"
        made.append(Library(build, a.programs.get(build.name)))
        made[-1].compile()
    return made


def main():
    a = arguments()
    libraries = find_libraries(a)
    found = []
    for _, some in itertools.groupby(
        launches(libraries, a), key=lambda launch: (launch.source, launch.group)
    ):
        for launch in some:
            found += rows(launch, *measure(launch, libraries, a))
        # after each set: an interrupted run keeps what it has measured
        write_rows(a.results / "e10_osu.csv", found, COLUMNS)


if __name__ == "__main__":
    main()
