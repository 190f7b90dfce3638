#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The fourteen communicators of table 6.1 of Mir Taheri's thesis inside MPI (tables 6.2 to 6.4).

With --ranks ranks of this machine, the communicators scaled to them: the creation of a
communicator, 10,000 messages of 8 bytes between random members, 10 gathers, and bytes; stock MPICH
(with the idle yield), with --openmpi Open MPI (which takes many minutes where ranks share cores),
and this library under each strategy and with the thesis's representations forced.  Programs take
turns; a ratio is the median of the ratios to stock in one round.  A forced representation counts
only for the communicators that it holds.

Then creation alone at the thesis's 200,000 ranks: the first member as one rank of that world
(mpirank1).  Stock cannot create communicators there: it makes the group alone.

Writes bench/results/e2_inside.csv: ranks,build,round,number,members,representation,create_us,
messages_us,gathers_us,map_bytes,heap_bytes; e2_alone.csv, the same without messages and gathers;
and a plot.  With --add the runs are added to those that are there, also those of other numbers of
ranks; the first table and the plot are those of the least one."""
import argparse
import csv
import shutil
import statistics
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import page  # noqa: E402
from openmpi import OpenMPI  # noqa: E402
from runs import (  # noqa: E402
    FORCE,
    ROOT,
    Build,
    add_builds,
    add_quick,
    find_builds,
    force,
    in_turns,
    representations,
    write_rows,
)
from worlds import run_alone  # noqa: E402

FIRST = ["ranks", "build", "round", "number", "members", "representation"]
TIMES = ["create_us", "messages_us", "gathers_us"]
INSIDE = [*FIRST, *TIMES, "map_bytes", "heap_bytes"]
ALONE = [*FIRST, "create_us", "map_bytes"]
WORLD = 200000
STRATEGIES = ("time", "space")
THESIS = "array,packed,bwt,gap,bitmap,bdd"  # in the order of its tables
PAGE = ROOT / "doc" / "measurements" / "communicators.md"


def under(build, strategy):
    other = build.with_env({"MPIR_CVAR_CMAP_STRATEGY": strategy})
    other.name = f"{build.name}:{strategy}"
    return other


def builds_of(a):
    stock, _, patched = find_builds("table61", a.stock, a.patched)
    openmpi = OpenMPI("table61") if a.openmpi and OpenMPI.present() else None
    compiled = [build for build in (stock, openmpi, patched) if build]
    lister = Build("patched", patched.prefix, "pt2pt")
    for build in (*compiled, lister):
        build.compile()
    there = representations(lister)
    names = there if a.representations == "all" else a.representations.split(",")
    if not set(names) <= set(there):
        raise SystemExit(f"table61: the representations are {', '.join(there)}")
    chosen = [] if a.only_forced else [patched, *(under(patched, name) for name in STRATEGIES)]
    others = [build for build in compiled if build is not patched]
    return others, chosen + [force(patched, name) for name in names if name]


# ---- runs


def held(build, representation):
    return build.env.get(FORCE) in (None, representation)


def measure_inside(builds, first_round, a):
    """Rows of INSIDE."""
    for k in range(a.rounds):
        for build in in_turns(builds, 1, f"{a.ranks} ranks, round {k + 1} of {a.rounds}"):
            for words in build.lines(a.ranks, ["all", a.messages, a.gathers], 900):
                if held(build, words[2]):
                    yield [a.ranks, build.name, first_round + k, *words]


def measure_alone(build, firsts, first_round, a):
    """Rows of ALONE, of one of our builds."""
    tool = Path(a.patched) / "bin" / "mpirank1"
    as_ours = build.with_env({})
    as_ours.name = "patched"
    for k in range(a.rounds):
        for number, first in firsts:
            words = run_alone(as_ours, tool, WORLD, ["alone", number], ["--rank", first])[0]
            if held(build, words[2]):
                yield [WORLD, build.name, first_round + k, *words]


def measure_groups(stock, a):
    tool = Path(a.patched) / "bin" / "mpirank1"
    for number, members, us in run_alone(stock, tool, WORLD, ["groups"]):
        yield [WORLD, "stock", 0, number, members, "-", us, 4 * int(members)]


# ---- tables


class Found:
    """(build, number) -> column -> figures by round."""

    def __init__(self, rows, columns):
        self.cases = defaultdict(lambda: defaultdict(dict))
        self.members = {}
        self.kept = {}
        for row in rows:
            one = dict(zip(columns, map(str, row)))
            case = one["build"], int(one["number"])
            for column in columns[6:]:
                self.cases[case][column][int(one["round"])] = float(one[column])
            self.members[case[1]] = one["members"]
            self.kept[case] = one["representation"]

    def numbers(self):
        return sorted(self.members)

    def builds(self):
        return list(dict.fromkeys(build for build, _ in self.cases))

    def median(self, build, number, column):
        figures = self.cases[build, number][column] if (build, number) in self.cases else {}
        return statistics.median(figures.values()) if figures else None

    def ratio(self, build, number, column, base="stock"):
        ours, theirs = (self.cases.get((b, number), {}).get(column, {}) for b in (build, base))
        both = [ours[k] / theirs[k] for k in ours if theirs.get(k)]
        return statistics.median(both) if both else None

    def over_all(self, build, column):
        """The median of the ratios of the communicators that this build holds."""
        ratios = [self.ratio(build, number, column) for number in self.numbers()]
        ratios = [x for x in ratios if x is not None]
        return statistics.median(ratios) if ratios else None


def cell(x):
    return "" if x is None else page.figure(x)


def name_of(build):
    return build.replace("patched:", "ours, ").replace("patched", "ours, hybrid")


def table_of_communicators(found):
    rows = []
    for number in found.numbers():
        row = [str(number), found.members[number], found.kept["patched", number]]
        for column in TIMES:
            row += [cell(found.median(build, number, column)) for build in ("stock", "patched")]
            row.append(cell(found.ratio("patched", number, column)))
        row += [cell(found.median(build, number, "heap_bytes")) for build in ("stock", "patched")]
        rows.append(row)
    heads = [
        f"{what}{end}"
        for what in ("create", "messages", "gathers")
        for end in (": stock, us", ", ours", ", ratio")
    ]
    return page.table(["", "members", "held as", *heads, "bytes: stock", "ours"], rows)


def by_ranks(rows):
    """ranks -> Found, the least first"""
    found = sorted({int(row[0]) for row in rows})
    return {ranks: Found([row for row in rows if int(row[0]) == ranks], INSIDE) for ranks in found}


def table_of_builds(inside):
    rows = []
    for ranks, found in inside.items():
        for build in found.builds():
            numbers = [n for n in found.numbers() if (build, n) in found.cases]
            sizes = [found.median(build, n, "heap_bytes") for n in numbers]
            rows.append(
                [str(ranks), name_of(build), str(len(numbers))]
                + [cell(found.over_all(build, column)) for column in TIMES]
                + [cell(statistics.median(sizes))]
            )
    return page.table(["ranks", "build", "held", "create", "messages", "gathers", "bytes"], rows)


def table_alone(found):
    builds = [b for b in found.builds() if b != "patched"]
    rows = []
    for number in found.numbers():
        figures = [cell(found.median(b, number, "create_us")) for b in ("patched", *builds)]
        rows.append([str(number), found.members[number], found.kept["patched", number], *figures])
    names = [name_of(b).replace("ours, ", "") for b in ("patched", *builds)]
    return page.table(["", "members", "held as", *names], rows)


def table_of_bytes(found):
    builds = [b for b in found.builds() if b != "patched"]
    rows = [
        [str(number)] + [cell(found.median(b, number, "map_bytes")) for b in ("patched", *builds)]
        for number in found.numbers()
    ]
    return page.table([""] + [name_of(b).replace("ours, ", "") for b in ("patched", *builds)], rows)


def verdicts(inside):
    shown = page.Shown()
    for ranks, found in inside.items():
        for column, what in zip(TIMES, ("creation", "10,000 messages", "10 gathers")):
            ratio = found.over_all("patched", column)
            if ratio:
                shown.at_most(f"table 6.1, {ranks} ranks, {what}: ours over stock", ratio, 1.1)
    return shown


def plot(inside, alone, path):
    try:
        from plots import plt, save
    except ImportError:
        print("no plot without python3-matplotlib", file=sys.stderr)
        return False
    panels = [(inside, column) for column in TIMES] + [(alone, "create_us")]
    drawing, axes = plt.subplots(2, 2, figsize=(9.6, 6.4))
    builds = list(dict.fromkeys([*inside.builds(), *alone.builds()]))
    colour = {build: plt.get_cmap("tab20")(k % 20) for k, build in enumerate(builds)}
    for axis, (found, column) in zip(axes.flat, panels):
        for build in found.builds():
            points = [(n, found.median(build, n, column)) for n in found.numbers()]
            points = [point for point in points if point[1]]
            large = build in ("stock", "openmpi", "patched")
            axis.plot(
                *zip(*points),
                marker="o" if large else ".",
                linestyle="-" if large else "none",
                color=colour[build],
                label=name_of(build),
            )
        axis.set_yscale("log")
        axis.set_xticks(found.numbers())
        world = "200,000 ranks, one of them real" if found is alone else "ranks of one machine"
        axis.set(xlabel=f"communicator of table 6.1, {world}", ylabel=column.replace("_", ", "))
    handles = {}
    for axis in axes.flat:
        handles.update(dict(zip(*reversed(axis.get_legend_handles_labels()))))
    axes[0][1].legend(
        handles.values(),
        handles.keys(),
        fontsize="x-small",
        loc="upper left",
        bbox_to_anchor=(1, 1),
    )
    save(drawing, path)
    return True


# ---- the whole


def rows_there(path, columns, add):
    if not add or not path.exists():
        return []
    with path.open(newline="") as file:
        return [[row[column] for column in columns] for row in csv.DictReader(file)]


def next_round(rows):
    return 1 + max((int(row[2]) for row in rows), default=-1)


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench table61",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_builds(ap)
    ap.add_argument("--ranks", type=int, default=64, help="32 and more (default 64)")
    ap.add_argument("--rounds", type=int, default=3, help="runs of each build (default 3)")
    ap.add_argument("--messages", type=int, default=10000)
    ap.add_argument("--gathers", type=int, default=10)
    ap.add_argument(
        "--representations",
        default=THESIS,
        metavar="NAME,...",
        help=f"these are forced, or all (default {THESIS})",
    )
    ap.add_argument("--only-forced", action="store_true", help="leave out the strategies")
    add_quick(ap, "1 round, 32 ranks, 1,000 messages", rounds=1, ranks=32, messages=1000)
    ap.add_argument("--full", action="store_true", help="256 ranks")
    ap.add_argument("--add", action="store_true", help="to the results that are there")
    ap.add_argument("--openmpi", action="store_true", help="also Open MPI")
    ap.add_argument("--no-alone", action="store_true", help="leave out the 200,000 ranks")
    ap.add_argument("--only-alone", action="store_true", help="nothing else")
    ap.add_argument(
        "--doc", action="store_true", help="also the tables of doc/measurements/communicators.md"
    )
    ap.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    a = ap.parse_args()
    if a.full:
        a.ranks = 256
    return a


def main():
    a = arguments()
    others, ours = builds_of(a)
    inside = rows_there(a.results / "e2_inside.csv", INSIDE, a.add)
    alone = rows_there(a.results / "e2_alone.csv", ALONE, a.add)
    if not a.only_alone:
        inside += measure_inside(others + ours, next_round(inside), a)
    write_rows(a.results / "e2_inside.csv", inside, INSIDE)
    if not a.no_alone:
        firsts = ours[0].lines(1, ["firsts", WORLD], 60)
        k = next_round(alone)
        for build in ours:
            alone += measure_alone(build, firsts, k, a)
        if others and others[0].name == "stock" and k == 0 and not a.quick:
            alone += measure_groups(others[0], a)
        write_rows(a.results / "e2_alone.csv", alone, ALONE)
    inside, alone = by_ranks(inside), Found(alone, ALONE)
    tables = {"builds": table_of_builds(inside)}
    least = next(iter(inside.values()), None)
    if least:
        tables = {"communicators": table_of_communicators(least), **tables}
    if alone.numbers():
        tables.update(alone=table_alone(alone), bytes=table_of_bytes(alone))
    for text in tables.values():
        print("\n" + text)
    shown = verdicts(inside)
    shown.print()
    drawn = least and alone.numbers() and plot(least, alone, a.results / "e2_inside.svg")
    if a.doc:
        page.put(PAGE, "table61", tables, shown)
        if drawn:
            shutil.copy(a.results / "e2_inside.svg", PAGE.parent / "plots")


if __name__ == "__main__":
    main()
