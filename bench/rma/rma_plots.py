# SPDX-License-Identifier: BSD-3-Clause
"""rma_plots.py RESULTS [--doc DOC]: the plots of maint/bench rma, beside the CSVs, as SVG.  They
are those of X. Zhao's thesis:  e8_single: figures 4.1 and 4.2, e8_many: 4.3, e8_overlap: 4.4
(lock), 4.5 (PSCW) and 4.6 (fence), e8_graph: 4.7, e8_parts: 4.8."""
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from plots import main, plt, save  # noqa: E402
from results import read, value  # noqa: E402

LIBRARIES = {
    "stock": ("#bbbbbb", "s-"),
    "openmpi": ("#aa3377", "^-"),
    "eager": ("#4477aa", "x--"),
    "lazy": ("#ddaa33", "+--"),
    "hybrid": ("#228833", "o-"),
}
PLACES = {"node": "in a node", "messages": "by messages", "hosts": "between hosts, delayed link"}
SYNCS = {"lock": "lock-unlock", "pscw": "PSCW", "fence": "fence"}
OPERATIONS = ("put", "get", "acc")
PARTS = {
    "opening": "opening fence",
    "operations": "operations",
    "room": "waited for room",
    "closing": "closing fence, work",
    "waited": "closing fence, waited",
    "allreduce": "allreduce",
    "level": "the program",
}


def lines(axis, rows, x, y, scale=1.0):
    """One for each library."""
    for name, (colour, style) in LIBRARIES.items():
        mine = sorted(
            (value(row, x), scale * value(row, y))
            for row in rows
            if name in (row["library"], row["mode"])
        )
        if mine:
            axis.plot(*zip(*mine), style, color=colour, label=name, markersize=4, linewidth=1)


def grid(rows, path, down, across, draw):
    """A plot for each value of the column `down` and each of `across` ({column: {value:
    title}})."""
    (row_column, row_titles), (column, titles) = *down.items(), *across.items()
    some = [v for v in row_titles if any(row[row_column] == v for row in rows)]
    if not some:
        return
    figure, axes = plt.subplots(
        len(some), len(titles), figsize=(3.6 * len(titles), 2.7 * len(some)), squeeze=False
    )
    for line, v in zip(axes, some):
        for axis, w in zip(line, titles):
            draw(axis, [row for row in rows if row[row_column] == v and row[column] == w])
            axis.set_title(f"{titles[w]}, {row_titles[v]}")
    next(axis for axis in axes.flat if axis.lines).legend()
    save(figure, path)


def times(x):
    def draw(axis, rows):
        lines(axis, rows, x, "median_us")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xlabel(x)
        axis.set_ylabel("us an epoch")

    return draw


def overlap(axis, rows):
    lines(axis, rows, "bytes", "overlap")
    axis.set_xscale("log", base=2)
    axis.set_ylim(-20, 105)
    axis.set_xlabel("bytes an operation, 8 of them")
    axis.set_ylabel("hidden, percent")


def edges_a_second(axis, rows):
    for row in rows:
        row["rate"] = value(row, "operations") / value(row, "median_us")
    lines(axis, rows, "ranks", "rate")
    axis.set_xscale("log", base=2)
    axis.set_xlabel("ranks")
    axis.set_ylabel("million edges a second")


def median_parts(rows):
    """(link, ranks, graph) -> library -> part -> us"""
    found = {}
    for row in rows:
        graph, part = row["case"].split("-")
        place = found.setdefault((row["link"], int(row["ranks"]), graph), {})
        place.setdefault(row["library"].split(":")[-1], {}).setdefault(part, []).append(
            value(row, "figure")
        )
    return {
        place: {
            name: {part: statistics.median(us) for part, us in parts.items()}
            for name, parts in libraries.items()
        }
        for place, libraries in found.items()
    }


def stacked_parts(rows, path):
    """A plot for each number of ranks and graph, the places beside each other: percent of a search,
    whose microseconds are on top."""
    found = median_parts(rows)
    panels = list(dict.fromkeys(place[1:] for place in found))
    if not panels:
        return
    figure, axes = plt.subplots(1, len(panels), figsize=(3.4 * len(panels), 3.2), squeeze=False)
    for axis, (ranks, graph) in zip(axes[0], panels):
        bars = [
            (f"{name}, {link}", parts)
            for link in PLACES
            for name, parts in found.get((link, ranks, graph), {}).items()
        ]
        below = [0.0] * len(bars)
        whole = [sum(max(0.0, us) for us in parts.values()) for _, parts in bars]
        for k, part in enumerate(PARTS):
            heights = [
                100 * max(0.0, parts.get(part, 0.0)) / us for (_, parts), us in zip(bars, whole)
            ]
            axis.bar(range(len(bars)), heights, bottom=below, color=f"C{k}", label=PARTS[part])
            below = [x + y for x, y in zip(below, heights)]
        for k, us in enumerate(whole):
            axis.text(k, 102, f"{us:,.0f}", rotation=90, ha="center", fontsize="x-small")
        axis.set_ylim(0, 125)
        axis.set_xticks(range(len(bars)))
        axis.set_xticklabels([name for name, _ in bars], rotation=90)
        axis.set_title(f"{graph} graph, {ranks} ranks")
    axes[0][0].set_ylabel("percent of a search; us on top")
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, path)


def draw(results):
    rounds = read(results / "e8_rounds.csv")
    stacked_parts([row for row in rounds if row["set"] == "parts"], results / "e8_parts.svg")
    rows = read(results / "e8_rma.csv")
    kinds = {"operation": {operation: operation for operation in OPERATIONS}}
    for name, x in ("single", "bytes"), ("many", "operations"):
        locks = [row for row in rows if row["set"] == name and row["sync"] == "lock"]
        grid(locks, results / f"e8_{name}.svg", {"link": PLACES}, kinds, times(x))
    for link in PLACES:
        mine = [row for row in rows if row["overlap"] and row["link"] == link]
        grid(mine, results / f"e8_overlap_{link}.svg", {"sync": SYNCS}, kinds, overlap)
    graph = [row for row in rows if row["set"] == "graph"]
    sizes = {str(16 << scale): f"2^{scale} vertices" for scale in (13, 7)}
    grid(graph, results / "e8_graph.svg", {"link": PLACES}, {"operations": sizes}, edges_a_second)


if __name__ == "__main__":
    main(__doc__, draw, "e8_*.svg")
