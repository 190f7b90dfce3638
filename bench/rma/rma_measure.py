# SPDX-License-Identifier: BSD-3-Clause
"""rma_measure.py RESULTS ...: runs bench/rma/rma.c and examples/bfs.c with each library in turn,
and writes

  e8_rma.csv      medians and deciles of the rounds:
                  set,library,mode,link,ranks,sync,operation,bytes,operations,compute_us,
                  median_us,p10_us,p90_us,overlap; of overlaps the epoch alone, as long as what is
                  computed, and percent hidden
  e8_rounds.csv   each round's figure, from which the ratios are taken:
                  set,link,ranks,library,case,round,figure

Links: "node" is memory that the processes share (MPI_Win_allocate; but for `waiting` and `large`
MPI_Win_create), "messages" one machine that is cut into nodes of one process
(MPIR_CVAR_NUM_CLIQUES), with MPI_Win_create; "hosts" two hosts (maint/hosts, needs root) whose link
is delayed.  Open MPI 4 has its component "pt2pt" for the last two, and 5 "rdma".  Two processes on
one machine are compared in runs at one distance of their cores (runs.py), of which there are as
many more as that takes.  A set that fails in Open MPI goes on without it.  Our modes of issuing
take turns within a run, batch by batch, but for searches of a graph.  A run's figure is the median
of its batches; figures are us, but for the percent that is hidden, and `contend`: epochs a second,
and the least rank's part of its share.  `passive` has 4 ranks, `parts` (what the time of a search
is made of) and `calibrated` (searches with the settings that examples/rma_calibrate.c finds) 2 and
8, if --ranks has them."""
import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from hosts import hosts_up, may_start, on_hosts  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (
    NOT_MEASURED,
    ROOT,
    Build,
    add_builds,
    add_quick,
    at_one_distance,
    decile,
    find_builds,
    numbers,
    without_failing,
    write_rows,
)  # noqa: E402

COLUMNS = "set,library,mode,link,ranks,sync,operation,bytes,operations,compute_us,median_us,p10_us,p90_us,overlap".split(
    ","
)
ROUNDS = "set,link,ranks,library,case,round,figure".split(",")
SETS = (
    "single",
    "many",
    "waiting",
    "overlap",
    "contend",
    "passive",
    "change",
    "large",
    "graph",
    "parts",
    "calibrated",
)
LINKS = ("node", "messages", "hosts")
MODES = ("hybrid", "eager", "lazy")
LEFT_OUT = {"parts": "hosts", "calibrated": "node"}  # in a node nothing is issued late
GRAPHS = {"small": 7, "large": 13}  # of the paper: 2^7 and 2^13 vertices
SEARCHES = {"small": 300, "large": 200}
# where each operation is a message: one search touches all buffers, and takes long
SEARCHES_OF_SINGLE = {"small": 300, "large": 40}
EDGES_A_VERTEX = 16
OVERLAPPED = 8  # operations, as in rma.c
WAITING = (2, 8)  # ranks, of which all but one wait
CREATED = ("waiting", "large")  # in a node, too, in memory of the program's own
TIMEOUT = 600


class Programs:
    """A library's programs; rma has a window for each of `modes`."""

    def __init__(self, build, modes=()):
        self.name, self.modes = build.name, modes
        self.rma, self.bfs = self.program(build, ROOT / "bench" / "rma" / "rma.c"), self.program(
            build, ROOT / "examples" / "bfs.c"
        )
        self.parts = self.program(build, ROOT / "bench" / "rma" / "parts.c")
        self.calibrate = self.program(build, ROOT / "examples" / "rma_calibrate.c")

    @staticmethod
    def program(build, source):
        made = build.with_env({})
        made.source = source
        made.program = build.program.with_name(f"{source.stem}-{build.name.split(':')[0]}")
        return made

    def compile(self):
        self.rma.compile()
        self.bfs.compile()
        self.parts.compile(self.bfs.source)
        if self.modes:
            self.calibrate.compile()

    def searchers(self):
        """One for each mode."""
        return [
            Programs(
                Build(
                    f"{self.name}:{mode}", self.rma.prefix, "rma", {"MPIR_CVAR_CH4_RMA_ISSUE": mode}
                )
            )
            for mode in self.modes
        ] or [self]

    def on(self, link, ranks):
        """The programs of the sets, as they run there."""
        return [self.placed(program, link, ranks) for program in (self.rma, self.bfs, self.parts)]

    def calibrated(self, link):
        """Searches under hybrid with the defaults, and with what rma_calibrate finds there; and
        the settings of both."""
        lines = self.placed(self.calibrate, link, 2).lines(2, [], TIMEOUT)
        found = dict(word.split("=") for words in lines for word in words if "=" in word)
        settings = {name: int(found[name]) for name in found if name.startswith("MPIR_")}
        some = {"hybrid": {}, "calibrated": {name: str(x) for name, x in settings.items()}}
        searchers = [
            Programs(Build(f"{self.name}:{name}", self.rma.prefix, "rma", env))
            for name, env in some.items()
        ]
        values = [[found["OPS"], found["BYTES"]], settings.values()]
        return searchers, {
            searcher.name: dict(zip(("ops", "bytes"), map(float, pair)))
            for searcher, pair in zip(searchers, values)
        }

    def placed(self, program, link, ranks):
        is_openmpi = self.name == "openmpi"
        program = program.with_env(
            {"MPIR_CVAR_NUM_CLIQUES": str(ranks)} if link == "messages" else {}
        )
        if link == "hosts":
            program = on_hosts(program)
        if is_openmpi and link != "node":
            component = "pt2pt" if program.is_debians else "rdma"
            program.mpiexec = [*program.mpiexec, "--mca", "osc", component]
        return program


# ---- runs


def run_set(name, programs, link, ranks, a):
    """case -> figure of one run, and what a cache line took, first and last, where there are two
    processes on one machine"""
    rma, bfs, parts = programs.on(link, ranks)
    if name == "parts":
        return parts_us(parts, link, ranks, a), []
    if name in ("graph", "calibrated"):
        return {
            graph: search_us(bfs, ranks, GRAPHS[graph], searches(bfs, graph, link, a))
            for graph in a.graphs
        }, []
    lines = rma.lines(
        ranks,
        [
            name,
            a.batches,
            a.batch_us,
            "allocate" if link == "node" and name not in CREATED else "create",
            *(programs.modes if name != "large" else programs.modes[:1]),
        ],
        TIMEOUT,
    )
    return (
        {case: float(figure) for case, figure in lines if case != "line"},
        [float(us) for case, us in lines if case == "line"],
    )


def searches(program, graph, link, a):
    """In a run.  The first half of them makes connections and touches buffers, and is left out."""
    is_single = program.name == "stock" or program.name.endswith(":eager")
    most = (SEARCHES_OF_SINGLE if is_single else SEARCHES)[graph]
    return a.searches or most // (10 if link == "hosts" else 1)


def search_us(bfs, ranks, scale, n):
    words = bfs.lines(ranks, [scale, n], TIMEOUT)[-1]
    return float(words[words.index("us") - 1])


def parts_us(parts, link, ranks, a):
    """GRAPH-PART -> us a search"""
    return {
        f"{graph}-{words[1]}": float(words[2])
        for graph in a.graphs
        for words in parts.lines(ranks, [GRAPHS[graph], searches(parts, graph, link, a)], TIMEOUT)
        if words[0] == "part"
    }


def by_mode(found):
    """library -> case -> figures, where case MODE/CASE of a library is CASE of LIBRARY:MODE."""
    apart = {}
    for library, cases in found.items():
        for case, figures in cases.items():
            mode, _, rest = case.rpartition("/")
            apart.setdefault(f"{library}:{mode}" if mode else library, {})[rest] = figures
    return apart


def show(name, place, ranks, found):
    base = found.get("stock")
    print(f"\n{place}, {name}, {ranks} ranks: median (ratio to stock)")
    for case in max(found.values(), key=len):
        cells = []
        for library, cases in found.items():
            if case not in cases:  # refused
                continue
            middle = statistics.median(cases[case])
            is_other = base and library != "stock" and case in base
            below = statistics.median(base[case]) if is_other else 0
            is_time = not case.endswith(("-hidden", "-MB"))
            ratio = f" ({middle / below:.3f})" if below and is_time else ""
            cells.append(f"{library} {middle:.3f}{ratio}")
        print(f"  {case:<24} " + "; ".join(cells), flush=True)


def plan(link, a):
    """(set, ranks) of a place."""
    for name in a.sets:
        if name in ("parts", "calibrated"):
            yield from ((name, n) for n in a.ranks if n in (2, 8) and link != LEFT_OUT[name])
        elif name == "graph":
            yield from (
                (name, ranks)
                for ranks in (
                    a.ranks if link != "hosts" else [n for n in a.ranks if n <= a.hosts_ranks]
                )
            )
        elif name == "waiting":  # between nodes no process waits in an aggregate
            yield from ((name, ranks) for ranks in WAITING if link == "node")
        elif name == "large":
            yield from ((name, 2) for _ in range(link == "node"))
        # copying memory hides nothing
        elif not (link == "node" and name in ("overlap", "change")):
            yield name, a.contenders if name == "contend" else 4 if name == "passive" else 2


def rounds_of(name, link, a):
    return (
        a.graph_rounds
        if name in ("graph", "parts", "calibrated")
        else (a.rounds + 1) // 2
        if link == "hosts"
        else a.rounds
    )


def measure(link, libraries, a):
    """(set, ranks, library -> case -> figures) of a place"""
    with hosts_up(2, a.delay) if link == "hosts" else contextlib.nullcontext():
        for name, ranks in plan(link, a):
            some, settings = libraries, {}
            if name in ("graph", "parts"):
                some = [one for library in libraries for one in library.searchers()]
            elif name == "calibrated":
                some, settings = libraries[-1].calibrated(link)
            label = f"{link}, {name}"
            (distance, found), _ = without_failing(
                some,
                lambda those, run: at_one_distance(those, rounds_of(name, link, a), run, label),
                lambda library: run_set(name, library, link, ranks, a),
                label,
                lambda library: library.name == "openmpi",
            )
            found = by_mode(found)
            for library, values in settings.items():
                found[library].update((case, [x]) for case, x in values.items())
            show(
                name,
                link if distance == NOT_MEASURED else f"{link} (a line takes {distance})",
                ranks,
                found,
            )
            yield name, ranks, found


# ---- rows


def columns_of(name, case):
    """(sync, operation, bytes, operations) of a case"""
    if name == "graph":
        return "fence", "acc", 8, EDGES_A_VERTEX << GRAPHS[case]
    sync, operation, number = case.split("-")[:3]
    return {
        "single": (sync, operation, number, 1),
        "waiting": (sync, operation, number, 1),
        "many": (sync, operation, 8, number),
        "overlap": (sync, operation, number, OVERLAPPED),
    }[name]


def rows(name, link, ranks, found):
    for library, cases in found.items():
        for case, us in cases.items():
            compute = overlap = ""
            if case.endswith("-hidden"):
                continue
            if case.endswith("-alone"):
                hidden = cases[case.replace("-alone", "-hidden")]
                compute, overlap = (
                    f"{statistics.median(us):.4f}",
                    f"{statistics.median(hidden):.1f}",
                )
            yield [
                name,
                *(library.split(":") + [""])[:2],
                link,
                ranks,
                *columns_of(name, case),
                compute,
                *(f"{x:.4f}" for x in (statistics.median(us), decile(us, 1), decile(us, 9))),
                overlap,
            ]


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench rma",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ap.add_argument("results", type=pathlib.Path)
    ap.add_argument("--sets", default=",".join(SETS), help=f"of {','.join(SETS)} (default all)")
    ap.add_argument("--places", default=",".join(LINKS), help="(default all; hosts only as root)")
    ap.add_argument(
        "--contenders", type=int, default=16, help="ranks that contend for a lock (default 16)"
    )
    ap.add_argument(
        "--delay", type=int, default=200, help="of the link between the hosts, us (default 200)"
    )
    ap.add_argument("--rounds", type=int, default=5, help="(default 5); half of them between hosts")
    ap.add_argument(
        "--batches", type=int, default=31, help="of a mode in a run, at most (default 31)"
    )
    ap.add_argument(
        "--batch-us",
        type=int,
        default=100,
        help="which a batch takes, or an epoch, if that is longer (default 100)",
    )
    ap.add_argument(
        "--ranks", default="2,4,8,16,32", help="that search a graph (default 2,4,8,16,32)"
    )
    ap.add_argument(
        "--hosts-ranks", type=int, default=8, help="the most of them between hosts (default 8)"
    )
    ap.add_argument("--graphs", default="small,large")
    ap.add_argument("--graph-rounds", type=int, default=3)
    ap.add_argument(
        "--searches",
        type=int,
        default=0,
        help="of a graph in a run, of which the second half counts (default 0: 300 of the small "
        "graph, 200 of the large one, but 40 in stock and eager windows; a tenth between hosts)",
    )
    ap.add_argument("--without-openmpi", action="store_true")
    add_quick(
        ap,
        "unless said otherwise 1 round, the small graph, 2 ranks, 4 that contend, no hosts",
        rounds=1,
        places="node,messages",
        graphs="small",
        graph_rounds=1,
        batches=5,
        ranks="2",
        contenders=4,
        searches=1,
    )
    add_builds(ap)
    a = ap.parse_args()
    a.sets, a.places, a.graphs = a.sets.split(","), a.places.split(","), a.graphs.split(",")
    a.ranks = numbers(a.ranks)
    for option, allowed in ("sets", SETS), ("places", LINKS), ("graphs", GRAPHS):
        if not set(getattr(a, option)) <= set(allowed):
            ap.error(f"--{option}: {','.join(allowed)} can be named")
    if "hosts" in a.places and not may_start("rma"):
        a.places.remove("hosts")
    return a


def find_libraries(a):
    stock, _, patched = find_builds("rma", a.stock, a.patched)
    openmpi = OpenMPI("rma") if OpenMPI.present() and not a.without_openmpi else None
    libraries = [
        *(Programs(build) for build in (stock, openmpi) if build),
        Programs(patched, MODES),
    ]
    for library in libraries:
        library.compile()
    return libraries


def main():
    a = arguments()
    libraries = find_libraries(a)
    summary, rounds = [], []
    for link in a.places:
        for name, ranks, found in measure(link, libraries, a):
            rounds += [
                [name, link, ranks, library, case, k, f"{x:.4f}"]
                for library, cases in found.items()
                for case, figures in cases.items()
                for k, x in enumerate(figures)
            ]
            if name not in ("contend", "passive", "change", "large", "parts", "calibrated"):
                summary += rows(name, link, ranks, found)
            # after each set: an interrupted run keeps what it has measured
            write_rows(a.results / "e8_rma.csv", summary, COLUMNS)
            write_rows(a.results / "e8_rounds.csv", rounds, ROUNDS)


if __name__ == "__main__":
    main()
