# SPDX-License-Identifier: BSD-3-Clause
"""maps_report.py RESULTS [--doc DOC]: what the experiments on maps must show, met or missed, and
the tables of DOC/maps.md (between its markers <!-- maps:NAME --> and <!-- /maps:NAME -->)."""
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from page import Shown, figure, put, table  # noqa: E402
from results import arguments, read, value  # noqa: E402

DESCRIPTIONS = {
    "1": "even ranks",
    "2": "81x + 11453",
    "3": "cells [0,*,*,0,*,*] of 2x10x10x10x10x10",
    "4": "alternating ranges of 100",
    "5": "multiples of 3",
    "6": "multiples of 5",
    "7": "multiples of 7",
    "8": "5,000 random, steps up to 79",
    "9": "50,000 random, steps up to 7",
    "10": "10,000 in random order",
    "11": "20,000 in random order",
    "12": "100,000 in random order",
    "13": "10 ranges of 1,000, permuted inside",
    "14": "10 ranges of 10,000, permuted inside",
    "8u": "5,000 uniformly random",
    "9u": "50,000 uniformly random",
}
FOURTEEN = [str(i) for i in range(1, 15)]
LONG = 1 << 16  # members from which a sequential decode is a rate and not a start


def medians(rows, column):
    """Medians by representation."""
    groups = {}
    for row in rows:
        if row[column]:
            groups.setdefault(row["representation"], []).append(float(row[column]))
    return {rep: statistics.median(values) for rep, values in groups.items()}


def rows_of(rows, strategy):
    return {row["exp"]: row for row in rows if row["strategy"] == strategy}


def show_e2(rows, shown):
    hybrid, space = (rows_of(rows, strategy) for strategy in ("hybrid", "space"))
    packed = {
        row["exp"]: row
        for row in rows
        if row["strategy"] == "" and row["representation"] == "packed"
    }
    if not hybrid:
        return
    less = [
        exp
        for exp in FOURTEEN
        if value(space[exp], "saved_mb") < value(space[exp], "thesis_saved_mb")
    ]
    short = ", ".join(
        f"{exp}: {value(space[exp], 'saved_mb'):.3f} of {value(space[exp], 'thesis_saved_mb'):.3f} MB"
        for exp in less
    )
    shown.add(
        "E2: saved under `space` at least the thesis's",
        f"{14 - len(less)} of 14" + (f" ({short})" if short else ""),
        "14 of 14",
        not less,
    )
    more = [exp for exp in hybrid if int(hybrid[exp]["bytes"]) > int(packed[exp]["bytes"])]
    shown.add(
        "E2: never more bytes than packed",
        f"{len(hybrid) - len(more)} of {len(hybrid)}",
        "all",
        not more,
    )


def show_e3(rows, shown):
    cases = {row["case"]: row for row in rows}
    if not cases:
        return
    shown.at_most(
        "E3: 1024 rows and 1024 columns, bytes in all",
        value(cases["rows and columns"], "bytes_total"),
        5120,
    )
    shown.at_most("E3: slab, bytes", value(cases["slab"], "bytes_total"), 0)
    shown.at_most(
        "E3: HPL's three communicators, bytes", value(cases["HPL 300x300"], "bytes_total"), 58
    )
    closed = [
        value(row, "bytes_total")
        for name, row in cases.items()
        if name.startswith("transpose hybrid")
    ]
    shown.at_most(f"E3: {len(closed)} transposes, most bytes of one", max(closed), 0)
    trees = [
        value(row, "bytes_total") / value(row, "bound_bytes")
        for name, row in cases.items()
        if name.startswith("transpose wtr")
    ]
    if trees:
        shown.at_most("E3: transposes as wtr, most bytes over n lg R", max(trees), 1.1)
    graph = [row for name, row in cases.items() if re.fullmatch(r"random graph \d+", name)][-1]
    shown.at_most(
        f"E3: random graph of {graph['communicators']}, bytes over the bound",
        value(graph, "bytes_total") / value(graph, "bound_bytes"),
        1.05,
    )


def show_sequential(e1, shown):
    """The slowest class of each representation counts."""
    forced = [row for row in e1 if row["strategy"] == "" and int(row["n"]) >= LONG]
    slowest = {}
    for name in dict.fromkeys(row["class"] for row in forced):
        for rep, ns in medians([row for row in forced if row["class"] == name], "seq_ns").items():
            slowest[rep] = max(slowest.get(rep, (0, "")), (ns, name))
    for rep, (ns, name) in slowest.items():
        if rep in ("plain", "bwt", "bdd", "wtr"):
            continue
        shown.add(
            f"E1: {rep}, sequential, million ranks a second in the slowest class",
            f"{figure(1000 / ns)} in {name}",
            ">= 200",
            ns <= 5,
        )


def show_ratios(rows, shown):
    limits = {"eliasfano": 5, "gap": 8, "wtr": 15, "bdd": 20}
    for rep, limit in limits.items():
        mine = [row for row in rows if row["representation"] == rep]
        for row in mine:
            shown.at_most(
                f"E1: {rep} over array, random: {row['case']}", value(row, "ratio"), limit
            )


def choices_by(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(value(row, "loss") <= 0.1)
    return {name: (100 * sum(good) / len(good), len(good)) for name, good in groups.items()}


def show_choices(choices, estimates, shown):
    for strategy, (share, maps) in choices_by(choices, lambda row: row["strategy"]).items():
        shown.add(
            f"Choices under {strategy} within 10 % of the best",
            f"{share:.1f} % of {maps}",
            ">= 95 %",
            share >= 95,
        )
    if not estimates:
        return
    wrong = [
        row
        for row in estimates
        if not int(row["bytes"]) <= int(row["estimate_bytes"]) <= 1.1 * int(row["bytes"]) + 64
    ]
    shown.add(
        "Estimated bytes neither exact nor up to 10 % above",
        f"{len(wrong)} of {len(estimates)}",
        "0",
        not wrong,
    )


SPARSE = "list: sparse"


def show_building(rows, small, shown):
    for row in rows:
        limit = 15 if row["case"] == "list: permutation" else 8
        what = f"Building under hybrid over copying the array: {row['case']}"
        if row["case"] != SPARSE:
            shown.at_most(what, value(row, "ratio"), limit)
    for case, limit in (("list: permutation", 12), (SPARSE, 22)):
        mine = [row for row in rows if row["case"] == case]
        if mine:
            shown.at_most(
                f"Building under hybrid, ns a member: {case}",
                1e6 * value(mine[0], "build_ms") / int(mine[0]["n"]),
                limit,
            )
    for kind in ("set", "list"):
        ns = [int(row["n"]) * value(row, f"{kind}_ns") for row in small]
        if ns:
            shown.at_most(
                f"Building a {kind} of 9 to 4,096 members: a size over the next larger one, most",
                max(a / b for a, b in zip(ns, ns[1:])),
                1.25,
            )


# ---- tables ----


def table_e1(rows):
    forced = [row for row in rows if row["strategy"] == ""]
    lines = []
    for name in dict.fromkeys(row["class"] for row in forced):
        mine = [row for row in forced if row["class"] == name]
        columns = [
            medians(mine, column) for column in ("bytes", "seq_ns", "rand_ns", "tput_ns", "rank_ns")
        ]
        build = medians(mine, "build_ns")
        for rep in columns[0]:
            count = sum(row["representation"] == rep for row in mine)
            lines.append(
                [name, f"`{rep}`" if rep != "plain" else rep, str(count)]
                + [figure(c[rep]) if rep in c else "" for c in columns]
                + [figure(build[rep] / 1e3)]
            )
    return table(
        [
            "class",
            "representation",
            "maps",
            "bytes",
            "sequential ns",
            "random ns",
            "independent ns",
            "rank ns",
            "build us",
        ],
        lines,
    )


def table_pairs(rows):
    """Pairs first; then what hybrid takes, by representation."""
    groups = {}
    for row in rows:
        groups.setdefault(row["held_as"], []).append(row)
    lines = [
        [
            f"`{held_as.removeprefix('hybrid: ')}`" + (" by hybrid" if ":" in held_as else ""),
            str(len(mine)),
            figure(statistics.median(value(row, "bytes") for row in mine)),
            figure(statistics.median(8 * value(row, "bytes") / value(row, "n") for row in mine)),
            figure(statistics.median(value(row, "rand_ns") for row in mine)),
        ]
        for held_as, mine in sorted(groups.items(), key=lambda item: ":" in item[0])
    ]
    return table(["held as", "maps", "bytes", "bits a member", "random ns"], lines)


def table_choices(choices):
    lines = []
    by_class = choices_by(choices, lambda row: (row["class"], row["strategy"]))
    for name in dict.fromkeys(row["class"] for row in choices):
        cells = [name]
        for strategy in ("hybrid", "time", "space"):
            mine = [
                row["chosen"]
                for row in choices
                if (row["class"], row["strategy"]) == (name, strategy)
            ]
            counts = sorted(
                {rep: mine.count(rep) for rep in mine}.items(), key=lambda item: -item[1]
            )
            cells.append(", ".join(f"`{rep}` {100 * n / len(mine):.0f} %" for rep, n in counts[:4]))
            cells.append(f"{by_class[name, strategy][0]:.1f} %")
        lines.append(cells)
    return table(
        ["class", "`hybrid` takes", "good", "`time` takes", "good", "`space` takes", "good"], lines
    )


def table_e2(rows):
    hybrid, space = (rows_of(rows, strategy) for strategy in ("hybrid", "space"))
    lines = []
    for exp, row in hybrid.items():
        lines.append([exp, DESCRIPTIONS[exp], f"{int(row['n']):,}"])
        for one in (row, space[exp]):
            lines[-1] += [
                f"`{one['representation']}`",
                f"{int(one['bytes']):,}",
                f"{value(one, 'saved_mb'):.3f}",
                f"{value(one, 'rand_ns') / value(one, 'array_rand_ns'):.2f}",
            ]
        lines[-1].append(f"{value(row, 'thesis_saved_mb'):.3f}")
    return table(
        ["", "members", "n"]
        + ["held as", "bytes", "saved MB", "random select over array"]
        + ["`space` holds as", "bytes", "saved MB", "random select over array"]
        + ["thesis MB"],
        lines,
    )


def table_e3(rows):
    wanted = ["rows and columns", "slab", "HPL 300x300"]
    rows_shown = [
        row
        for row in rows
        if row["case"] in wanted or re.fullmatch(r"transpose \w+ R=(2|16|128|1024)", row["case"])
    ]
    for prefix in ("random graph ", "random graph bwt "):
        mine = [row for row in rows if re.fullmatch(prefix + r"\d+", row["case"])]
        rows_shown += mine[-1:]
    lines = [
        [row["case"], row["communicators"]]
        + [
            f"{int(row[c]):,}" if row[c] else ""
            for c in ("bytes_total", "array_bytes_total", "paper_bytes", "bound_bytes")
        ]
        + [figure(value(row, "rand_ns"))]
        for row in rows_shown
    ]
    return table(
        ["case", "maps", "bytes", "arrays", "paper", "bound", "random ns"],
        [[cell if cell != "nan" else "" for cell in line] for line in lines],
    )


def table_plain(rows, header, columns):
    return table(header, [[row[column] for column in columns] for row in rows])


def tables(data):
    made = {}
    if data["e1"]:
        made["e1"] = table_e1(data["e1"])
    if data["pairs"]:
        made["pairs"] = table_pairs(data["pairs"])
    if data["choices"]:
        made["choices"] = table_choices(data["choices"])
    if data["e2"]:
        made["e2"] = table_e2(data["e2"])
    if data["e3"]:
        made["e3"] = table_e3(data["e3"])
    if data["ratios"]:
        made["ratios"] = table_plain(
            data["ratios"],
            [
                "map",
                "n",
                "representation",
                "bytes",
                "random ns",
                "array ns",
                "ratio",
                "million a second, sequential",
            ],
            [
                "case",
                "n",
                "representation",
                "bytes",
                "rand_ns",
                "array_rand_ns",
                "ratio",
                "seq_millions_per_s",
            ],
        )
    if data["build"]:
        made["build"] = table_plain(
            data["build"],
            ["map", "n", "built as", "ms", "copy ms", "ratio"],
            ["case", "n", "representation", "build_ms", "copy_ms", "ratio"],
        )
    if data["small"]:
        made["small"] = table_plain(
            data["small"],
            ["members", "set, ns a member", "list, ns a member"],
            ["n", "set_ns", "list_ns"],
        )
    return made


def run_of(results):
    path = results / "maps_run.txt"
    size, cpu = (path.read_text().splitlines() + ["", ""])[:2] if path.exists() else ("", "")
    return f"`maint/bench maps{' --quick' if size == 'quick' else ''}`, {cpu}"


def main():
    options = arguments(__doc__, "also puts the tables into DOC/maps.md")
    files = {
        "e1": "e1_classes.csv",
        "choices": "e1_choices.csv",
        "estimates": "e1_estimates.csv",
        "pairs": "e1_pairs.csv",
        "ratios": "e1_ratios.csv",
        "build": "e1_build.csv",
        "small": "e1_small.csv",
        "e2": "e2_table61.csv",
        "e3": "e3_worlds.csv",
    }
    data = {name: read(options.results / file) for name, file in files.items()}
    shown = Shown()
    show_e2(data["e2"], shown)
    show_e3(data["e3"], shown)
    show_sequential(data["e1"], shown)
    show_ratios(data["ratios"], shown)
    show_choices(data["choices"], data["estimates"], shown)
    show_building(data["build"], data["small"], shown)
    shown.print()
    if options.doc:
        whole = all(data.values())
        run = {"run": f"The run shown here: {run_of(options.results)}."} if whole else {}
        put(options.doc / "maps.md", "maps", {**tables(data), **run}, shown, whole)


if __name__ == "__main__":
    main()
