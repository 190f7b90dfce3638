# SPDX-License-Identifier: BSD-3-Clause
"""comms_report.py RESULTS [--doc DOC]: what the creation of communicators must show, met or missed,
and the tables of DOC/communicators.md (between its markers <!-- comms:NAME --> and <!-- /comms:NAME
-->)."""
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from page import Shown, figure, put, table  # noqa: E402
from results import arguments, read  # noqa: E402
from runs import paired_ratio  # noqa: E402

# Our time over stock's, at most.
WANTED = {
    "dup": ("dup", 0.5),
    "split_two": ("split with two colours", 0.6),
    "split_equal": ("split with equal colours", 0.5),
    "split_reversed": ("split with reversed keys", 0.5),
    "create_group": ("create_group", 0.6),
}
WANTED_OF_TWO = {"dup": 0.25}  # with 2 ranks
WANTED_SILENT = {("create", 2): 0.15, ("hosts", 4): 1}  # us of a duplicate without a message
WANTED_BESIDE = 2  # beside an idup that waits, over alone
WANTED_STRESS = 0.6
WANTED_ALIVE = 1.05  # a message on the newest communicator, over one on the world
WANTED_FLAT = 1.1  # the last thousand splits over the first
WANTED_BYTES = 5300 / 2  # a duplicate at 2 ranks; and half of stock's in the same run
WANTED_LIVE = 131072
SHAPES = {"small": "SmallComm", "large": "LargeComm"}


class Rounds:
    """Each round's figure."""

    def __init__(self, rows):
        self.found = {}
        for row in rows:
            key = row["bench"], int(row["ranks"]), row["case"], row["build"]
            self.found.setdefault(key, []).append(float(row["figure"]))

    def of(self, bench, ranks, case, build):
        return self.found.get((bench, ranks, case, build), [])

    def ratio(self, bench, ranks, case):
        """Median of the rounds' ratios; None without stock."""
        ours, stock = (self.of(bench, ranks, case, build) for build in ("patched", "stock"))
        return paired_ratio(ours, stock) if ours and stock else None

    def keys(self, bench):
        """(ranks, case) of a benchmark, each once."""
        return list(
            dict.fromkeys((ranks, case) for name, ranks, case, _ in self.found if name == bench)
        )


# ---- what must be shown


def show_creation(rounds, shown):
    for case, (what, limit) in WANTED.items():
        for ranks in [ranks for ranks, name in rounds.keys("create") if name == case]:
            ratio = rounds.ratio("create", ranks, case)
            if ratio is not None:
                shown.at_most(
                    f"{what}, {ranks} ranks, ours over stock",
                    ratio,
                    WANTED_OF_TWO.get(case, limit) if ranks == 2 else limit,
                )


def show_silent(rounds, shown):
    for (bench, ranks), limit in WANTED_SILENT.items():
        us = rounds.of(bench, ranks, "dup_median", "patched")
        where = "in a node" if bench == "create" else "on hosts"
        if us:
            shown.at_most(
                f"a duplicate without a message, {ranks} ranks {where}, us",
                statistics.median(us),
                limit,
            )


def show_pending(rounds, shown):
    alone, beside = (rounds.of("pending", 3, case, "patched") for case in ("alone", "beside"))
    if alone:
        shown.report("create_group by two of 3 ranks, us", figure(statistics.median(alone)))
        shown.at_most(
            "the same beside an idup that waits for the third, over that alone",
            paired_ratio(beside, alone),
            WANTED_BESIDE,
        )


def show_stress(rounds, shown):
    for shape, what in SHAPES.items():
        for ranks, case in rounds.keys(shape):
            ratio = rounds.ratio(shape, ranks, case)
            if case == "mean" and ratio is not None:
                shown.at_most(
                    f"{what}, {ranks} ranks, mean split, ours over stock", ratio, WANTED_STRESS
                )
        for (bench, ranks, case, build), first in rounds.found.items():
            if bench == shape and case == "first":
                last = rounds.of(bench, ranks, "last", build)
                shown.at_most(
                    f"{what}, {ranks} ranks, {build}, the last 1,000 splits over the first",
                    paired_ratio(last, first),
                    WANTED_FLAT,
                )


def show_alive(rounds, shown):
    """Tables cost a message nothing: only matching sees a context id, and it looks in no table."""
    for (bench, ranks, case, build), newest in list(rounds.found.items()):
        place, _, number = case.partition(", ")
        world = rounds.of(bench, ranks, f"world, {number}", build)
        if (bench, place) == ("alive", "newest") and build.startswith("patched"):
            shown.at_most(
                f"latency on the newest communicator over the world's, {build}, {number}",
                paired_ratio(newest, world),
                WANTED_ALIVE,
            )


def show_memory(rounds, shown):
    ours, stock = (rounds.of("memory", 2, "dup", build) for build in ("patched", "stock"))
    if ours:
        shown.at_most(
            "resident bytes of a live duplicate of the world, 2 ranks",
            statistics.median(ours),
            WANTED_BYTES,
        )
    if ours and stock:
        shown.at_most("the same over stock's in this run", paired_ratio(ours, stock), 0.5)


def show_limit(comms, shown):
    for row in comms:
        if row["bench"] == "limit" and row["build"] == "patched":
            number, end, again = row["case"].split()
            if end == "error" or int(number) >= WANTED_LIVE:  # else it was not tried
                shown.add(
                    "live communicators",
                    f"{int(number):,}",
                    f">= {WANTED_LIVE:,}",
                    int(number) >= WANTED_LIVE,
                )
            freed = int(number) - int(number) // 2
            shown.add(
                "created again after half were freed",
                f"{int(again):,}",
                f"{freed:,}",
                int(again) == freed,
            )


# ---- tables


def microseconds(rows, build):
    row = next((row for row in rows if row["build"] == build), None)
    if row is None:
        return ["", ""]
    return [
        figure(float(row["median_us"])),
        f"{figure(float(row['p10_us']))} to {figure(float(row['p90_us']))}",
    ]


def table_creation(comms, rounds, bench="create"):
    lines = []
    for ranks, case in rounds.keys(bench):
        mine = [
            row
            for row in comms
            if (row["bench"], int(row["ranks"]), row["case"]) == (bench, ranks, case)
        ]
        ratio = rounds.ratio(bench, ranks, case)
        lines.append(
            [str(ranks), f"`{case}`"]
            + microseconds(mine, "stock")
            + microseconds(mine, "patched")
            + ["" if ratio is None else f"{ratio:.3f}"]
            + microseconds(mine, "openmpi")[:1]
        )
    return table(
        [
            "ranks",
            "case",
            "stock us",
            "p10 to p90",
            "ours us",
            "p10 to p90",
            "ratio",
            "Open MPI us",
        ],
        lines,
    )


def table_of(comms, bench):
    """The median of each case and build; a build without a figure cannot have so many."""
    rows = [row for row in comms if row["bench"] == bench]
    builds = list(dict.fromkeys(row["build"] for row in rows))
    us = {(row["case"], row["build"]): figure(float(row["median_us"])) for row in rows}
    cases = dict.fromkeys(row["case"] for row in rows)
    return table(
        [f"{rows[0]['ranks']} ranks, us" if rows else "us", *builds],
        [[case] + [us.get((case, build), "") for build in builds] for case in cases],
    )


def table_stress(cid, rounds):
    lines = []
    for row in cid:
        ratio = (
            rounds.ratio(row["bench"], int(row["ranks"]), row["case"])
            if row["build"] == "patched"
            else None
        )
        lines.append(
            [
                SHAPES[row["bench"]],
                row["ranks"],
                row["build"],
                row["case"],
                figure(float(row["median_us"])),
                f"{figure(float(row['p10_us']))} to {figure(float(row['p90_us']))}",
                "" if ratio is None else f"{ratio:.3f}",
            ]
        )
    return table(["", "ranks", "build", "case", "us", "p10 to p90", "ratio"], lines)


def table_density(rows):
    lines = []
    for shape, build in dict.fromkeys(
        (row["bench"], row["build"]) for row in rows if ":" in row["build"]
    ):
        mine = [row for row in rows if (row["bench"], row["build"]) == (shape, build)]
        parts = [float(row["density"]) for row in mine]
        lines.append(
            [
                SHAPES[shape],
                build.split(":")[1],
                mine[0]["ranks"],
                f"{statistics.mean(parts):.3f}",
                f"{min(parts):.3f}",
                f"{max(parts):.3f}",
            ]
        )
    return table(["", "table", "ranks", "mean density", "least", "greatest"], lines)


def table_rest(comms):
    memory = [
        [row["build"], row["ranks"], f"{int(row['bytes']):,}"]
        for row in comms
        if row["bench"] == "memory"
    ]
    limits = [
        [row["build"], f"{int(number):,}", "yes" if end == "error" else "no"]
        for row in comms
        if row["bench"] == "limit"
        for number, end, _ in [row["case"].split()]
    ]
    return (
        table(["build", "ranks", "resident bytes of a duplicate"], memory)
        + "\n\n"
        + table(["build", "communicators", "ended by an error"], limits)
    )


def tables_of_parts(data, rounds):
    """Of the parts that were measured and stand alone."""
    made = {}
    if rounds.keys("hosts"):
        made["hosts"] = table_creation(data["comms"], rounds, "hosts")
    for bench in ("alive", "threads"):
        if any(row["bench"] == bench for row in data["comms"]):
            made[bench] = table_of(data["comms"], bench)
    if data["cid"]:
        made["stress"] = table_stress(data["cid"], rounds)
    if data["density"]:
        made["density"] = table_density(data["density"])
    return made


def tables_of_whole(data, rounds, results):
    path = results / "comms_run.txt"
    command, cpu = (path.read_text().splitlines() + ["", ""])[:2] if path.exists() else ("", "")
    command = re.sub(
        r" --(stock|patched)[= ]\S+", "", command.strip()
    )  # where things are on this machine
    return {
        "run": f"The run shown here: `{command}`, {cpu}.",
        "create": table_creation(data["comms"], rounds),
        "rest": table_rest(data["comms"]),
    }


def main():
    options = arguments(__doc__, "also puts the tables into DOC/communicators.md")
    files = {
        "comms": "e4_comms.csv",
        "cid": "e4_cid.csv",
        "rounds": "e4_rounds.csv",
        "density": "e4_cid_density.csv",
    }
    data = {name: read(options.results / file) for name, file in files.items()}
    rounds, shown = Rounds(data["rounds"]), Shown()
    print(table_creation(data["comms"], rounds))
    if rounds.keys("hosts"):
        print("\n" + table_creation(data["comms"], rounds, "hosts"))
    for bench in ("alive", "threads"):
        print("\n" + table_of(data["comms"], bench))
    show_creation(rounds, shown)
    show_silent(rounds, shown)
    show_pending(rounds, shown)
    show_stress(rounds, shown)
    show_alive(rounds, shown)
    show_memory(rounds, shown)
    show_limit(data["comms"], shown)
    shown.print()
    if options.doc:
        whole = {"create", "memory", "limit"} <= {row["bench"] for row in data["comms"]}
        made = tables_of_parts(data, rounds)
        if whole:
            made |= tables_of_whole(data, rounds, options.results)
        put(options.doc / "communicators.md", "comms", made, shown, whole)


if __name__ == "__main__":
    main()
