# SPDX-License-Identifier: BSD-3-Clause
"""rma_report.py RESULTS [--doc DOC]: what one-sided communication must show, met or missed, and the
tables of DOC/one_sided.md (between its markers <!-- rma:NAME --> and <!-- /rma:NAME -->)."""
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from page import Shown, figure, put, table  # noqa: E402
from results import arguments, read  # noqa: E402
from runs import paired_ratio  # noqa: E402

SETS = (
    "single",
    "waiting",
    "many",
    "overlap",
    "contend",
    "passive",
    "change",
    "large",
    "graph",
    "parts",
    "calibrated",
)
PLACES = {"node": "in a node", "messages": "by messages", "hosts": "between hosts"}
HYBRID = "patched:hybrid"
MODES = ("patched:eager", "patched:lazy")
LIBRARIES = ("stock", "openmpi", HYBRID, *MODES)  # in the order of the tables
WANTED_SINGLE = {"node": 0.2, "messages": 0.5, "hosts": 0.4}  # of stock's time, under a lock
# Open MPI's lock, put, unlock in a node
WANTED_US = 0.68
WANTED_BEHIND = 1.05
WANTED_WAITING = 1.1
OVERLAP_FROM = 65536
WANTED_OVERLAP = {"put": 75, "get": 35}
WANTED_FENCE_OVERLAP = 50
WANTED_RATE, WANTED_SHARE = 5.0, 0.5
WANTED_EPOCH = 10
# the second ten epochs of a pattern over the better mode's
WANTED_LATE = 1.1


class Rounds:
    """Each round's figure: (set, link, ranks) -> library -> case -> figures"""

    def __init__(self, rows):
        self.found = {}
        for row in rows:
            place = self.found.setdefault((row["set"], row["link"], int(row["ranks"])), {})
            place.setdefault(row["library"], {}).setdefault(row["case"], []).append(
                float(row["figure"])
            )

    def of(self, name):
        """(link, ranks, library -> case -> figures)"""
        return [
            (link, ranks, found)
            for (set_, link, ranks), found in self.found.items()
            if set_ == name
        ]


def behind(found, case, others):
    """Hybrid's time over that of the best of the others, in the same run or round."""
    best = min((found[name][case] for name in others if name in found), key=statistics.median)
    return paired_ratio(found[HYBRID][case], best)


def by_kind(cases):
    """sync-operation -> [(number, case)], in order"""
    found = {}
    for case in cases:
        sync, operation, number = case.split("-")[:3]
        found.setdefault((sync, operation), []).append((int(number), case))
    return found


# ---- what must be shown


def show_single(rounds, shown):
    for link, _, found in rounds.of("single"):
        for (sync, operation), cases in by_kind(found[HYBRID]).items():
            what = f"one {operation}, {sync}, {PLACES[link]}"
            if "stock" in found:
                ratios = [
                    paired_ratio(found[HYBRID][case], found["stock"][case]) for _, case in cases
                ]
                if sync == "lock":
                    shown.at_most(
                        f"{what}: most of stock's time, 1 to 64 bytes",
                        max(ratios),
                        WANTED_SINGLE[link],
                    )
                else:
                    shown.report(
                        f"{what}: of stock's time, 1 to 64 bytes",
                        f"{min(ratios):.2f} to {max(ratios):.2f}",
                    )
            if (link, sync, operation) == ("node", "lock", "put"):
                shown.at_most(
                    f"{what}: us",
                    max(statistics.median(found[HYBRID][case]) for _, case in cases),
                    WANTED_US,
                )


def show_waiting(rounds, shown):
    for _, ranks, found in rounds.of("waiting"):
        for case in found[HYBRID] if "stock" in found else ():
            shown.at_most(
                f"{case}, {ranks} ranks, the others wait in a barrier: of stock's time",
                paired_ratio(found[HYBRID][case], found["stock"][case]),
                WANTED_WAITING,
            )


def show_many(rounds, shown):
    for link, _, found in rounds.of("many"):
        for (sync, operation), cases in by_kind(found[HYBRID]).items():
            ratios = {number: behind(found, case, MODES) for number, case in cases}
            worst = max(ratios, key=ratios.get)
            within = sum(ratio <= WANTED_BEHIND for ratio in ratios.values())
            shown.add(
                f"1 to {max(ratios):,} {operation}s, {sync}, {PLACES[link]}: over the better of eager and lazy, at worst",
                f"{ratios[worst]:.2f} at {worst:,} ({within} of {len(ratios)} within)",
                f"<= {WANTED_BEHIND}",
                within == len(ratios),
            )


def overlaps(found):
    """sync-operation -> [(bytes, case)] of the percents that are hidden"""
    return by_kind(case for case in found[HYBRID] if case.endswith("-hidden"))


def show_overlap(rounds, shown):
    for link, _, found in rounds.of("overlap"):
        for (sync, operation), cases in overlaps(found).items():
            large = {
                number: statistics.median(found[HYBRID][case])
                for number, case in cases
                if number >= OVERLAP_FROM
            }
            text = ", ".join(
                f"{percent:.0f} % at {number // 1024} KB" for number, percent in large.items()
            )
            what = f"overlap, {operation}, {sync}, {PLACES[link]}"
            wanted = WANTED_OVERLAP.get(operation) if sync != "fence" else WANTED_FENCE_OVERLAP
            if link == "hosts" and wanted and operation != "acc":
                shown.add(what, text, f">= {wanted} %", min(large.values()) >= wanted)
            else:
                shown.report(what, text)


def show_graph(rounds, shown):
    for link, ranks, found in rounds.of("graph"):
        for case in found[HYBRID]:
            others = [name for name in found if name != HYBRID]
            best = min(others, key=lambda name: statistics.median(found[name][case]))
            ratio = behind(found, case, others)
            shown.add(
                f"search of the {case} graph, {ranks} ranks, {PLACES[link]}: over the best of the others",
                f"{ratio:.2f} ({best.split(':')[-1]})",
                f"<= {WANTED_BEHIND}",
                ratio <= WANTED_BEHIND,
            )


def show_contention(rounds, shown):
    for link, ranks, found in rounds.of("contend"):
        what = f"{ranks} ranks, one exclusive lock, {PLACES[link]}"
        if "stock" in found:
            ratio = paired_ratio(found[HYBRID]["rate"], found["stock"]["rate"])
            shown.add(
                f"{what}: times stock's rate",
                f"{ratio:.1f}",
                f">= {WANTED_RATE}",
                ratio >= WANTED_RATE,
            )
        share = statistics.median(found[HYBRID]["least-share"])
        shown.add(
            f"{what}: the least part of a share",
            f"{share:.2f}",
            f">= {WANTED_SHARE}",
            share >= WANTED_SHARE,
        )


def show_over(rounds, shown, name, what):
    """Over each of the other libraries that has the case."""
    for link, ranks, found in rounds.of(name):
        for case in found[HYBRID]:
            for other in ("stock", "openmpi"):
                if case in found.get(other, {}) and not case.endswith("-MB"):
                    shown.report(
                        f"{what}, {case}, {ranks} ranks, {PLACES[link]}: over {other}",
                        f"{paired_ratio(found[HYBRID][case], found[other][case]):.2f}",
                    )


def show_passive(rounds, shown):
    show_over(rounds, shown, "passive", "passive target")


def show_large(rounds, shown):
    show_over(rounds, shown, "large", "a large window")
    for link, _, found in rounds.of("large"):
        for library, cases in found.items():
            shown.report(
                f"a put of 500 MB, {PLACES[link]}: MB that it takes from the target, {library}",
                figure(statistics.median(cases["target-MB"])),
            )


def show_change(rounds, shown):
    for link, _, found in rounds.of("change"):
        for case in found[HYBRID]:
            phase, operations, what = case.split("-")
            pattern = f"epochs of {operations} puts, phase {int(phase) + 1} of 3, {PLACES[link]}"
            if what == "late":
                shown.at_most(
                    f"{pattern}: epochs 11 to 20 over the better of eager and lazy",
                    behind(found, case, MODES),
                    WANTED_LATE,
                )
            elif what == "from":
                epoch = statistics.median(found[HYBRID][case])
                shown.add(
                    f"{pattern}: from which epoch on they are as short as the later ones",
                    f"{epoch:.0f}",
                    f"<= {WANTED_EPOCH}",
                    epoch <= WANTED_EPOCH,
                )


SHOWN = (
    show_single,
    show_waiting,
    show_many,
    show_overlap,
    show_graph,
    show_contention,
    show_passive,
    show_change,
    show_large,
)


# ---- tables


def libraries(rounds, name):
    there = {library for _, _, found in rounds.of(name) for library in found}
    return [library for library in LIBRARIES if library in there]


def cells(found, case, names):
    base = found.get("stock", {}).get(case)
    for name in names:
        us = found.get(name, {}).get(case)
        ratio = f" ({paired_ratio(us, base):.2f})" if us and base and name != "stock" else ""
        yield figure(statistics.median(us)) + ratio if us else ""


def table_of(rounds, name, heads, wanted):
    """us (over stock's) of the cases that `wanted` names: it answers the first cells of a line,
    or nothing."""
    names = libraries(rounds, name)
    lines = []
    for link, ranks, found in rounds.of(name):
        for case in found[HYBRID]:
            first = wanted(case, ranks)
            if first:
                lines.append([PLACES[link], *first, *cells(found, case, names)])
    return table(["", *heads, *(name.split(":")[-1] for name in names)], lines)


def eight_bytes(case, _):
    sync, operation, number = case.split("-")
    return [sync, operation] if number == "8" else None


def some_counts(case, _):
    sync, operation, number = case.split("-")
    return [sync, operation, number] if number in ("4", "256", "16384") else None


def table_overlap(rounds):
    names = libraries(rounds, "overlap")
    lines = []
    for link, _, found in rounds.of("overlap"):
        for (sync, operation), cases in overlaps(found).items():
            for number, case in cases:
                lines.append(
                    [
                        PLACES[link],
                        sync,
                        operation,
                        f"{number // 1024} KB",
                        *(
                            f"{statistics.median(found[name][case]):.0f}" if name in found else ""
                            for name in names
                        ),
                    ]
                )
    return table(
        ["", "epoch", "operation", "bytes", *(name.split(":")[-1] for name in names)], lines
    )


def table_of_parts(rounds):
    """A line for each library at each place: us of each part, and of all of them."""
    lines, parts = [], []
    for link, ranks, found in rounds.of("parts"):
        for graph in dict.fromkeys(case.split("-")[0] for case in found[HYBRID]):
            parts = [case for case in found[HYBRID] if case.startswith(graph + "-")]
            for name in (one for one in LIBRARIES if one in found):
                us = [statistics.median(found[name][case]) for case in parts]
                first = [PLACES[link], graph, str(ranks), name.split(":")[-1]]
                lines.append(first + [figure(x) if x >= 0.05 else "" for x in (*us, sum(us))])
    heads = [case.split("-")[1] for case in parts]
    return table(["", "graph", "ranks", "library", *heads, "together"], lines)


def table_calibrated(rounds):
    lines = []
    for link, ranks, found in rounds.of("calibrated"):
        before, after = found[HYBRID], found["patched:calibrated"]
        settings = [f"{side['ops'][0]:.0f}, {side['bytes'][0]:,.0f}" for side in (before, after)]
        for graph in (case for case in before if case not in ("ops", "bytes")):
            us = [figure(statistics.median(side[graph])) for side in (before, after)]
            ratio = f"{paired_ratio(after[graph], before[graph]):.2f}"
            lines.append([PLACES[link], graph, str(ranks), *settings, *us, ratio])
    heads = ["graph", "ranks", "operations, bytes: default", "measured", "us", "us", "ratio"]
    return table(["", *heads], lines)


def plots(results, *pictures):
    """Those that there are, for the page."""
    return "".join(
        f"\n\n![{what}](plots/{name}.svg)"
        for name, what in pictures
        if (results / f"{name}.svg").exists()
    )


def tables(rounds, results):
    path = results / "rma_run.txt"
    command, cpu = (path.read_text().splitlines() + ["", ""])[:2] if path.exists() else ("", "")
    command = re.sub(
        r" --(stock|patched)[= ]\S+", "", command.strip()
    )  # where things are on this machine
    made = {
        "run": f"The run shown here: `{command}`, {cpu}.",
        "single": table_of(rounds, "single", ["epoch", "operation"], eight_bytes)
        + plots(
            results, ("e8_single", "1 to 64 bytes under a lock; the thesis's figures 4.1 and 4.2")
        ),
        "many": table_of(rounds, "many", ["epoch", "operation", "operations"], some_counts)
        + plots(
            results, ("e8_many", "1 to 16,384 operations under a lock; the thesis's figure 4.3")
        ),
        "overlap": table_overlap(rounds)
        + plots(
            results,
            *(
                (f"e8_overlap_{link}", f"overlap {PLACES[link]}; the thesis's figures 4.4 to 4.6")
                for link in PLACES
            ),
        ),
        "graph": table_of(
            rounds, "graph", ["graph", "ranks"], lambda case, ranks: [case, str(ranks)]
        )
        + plots(results, ("e8_graph", "edges a second; the thesis's figure 4.7")),
        "parts": table_of_parts(rounds)
        + plots(results, ("e8_parts", "parts of a search; the thesis's figure 4.8")),
        "calibrated": table_calibrated(rounds),
        "passive": table_of(rounds, "passive", ["case, us"], lambda case, _: [case]),
        "large": table_of(rounds, "large", ["case"], lambda case, _: [case]),
    }
    return {name: text for name, text in made.items() if name == "run" or libraries(rounds, name)}


def main():
    options = arguments(__doc__, "also puts the tables into DOC/one_sided.md")
    rounds, shown = Rounds(read(options.results / "e8_rounds.csv")), Shown()
    for show in SHOWN:
        show(rounds, shown)
    shown.print()
    if options.doc:
        made = tables(rounds, options.results)
        whole = all(libraries(rounds, name) for name in SETS)
        if not whole:
            del made["run"]
        put(options.doc / "one_sided.md", "rma", made, shown, whole)


if __name__ == "__main__":
    main()
