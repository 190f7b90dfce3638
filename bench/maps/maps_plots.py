# SPDX-License-Identifier: BSD-3-Clause
"""maps_plots.py RESULTS [--doc DOC]: the plots of the experiments on maps, beside the CSVs, as
SVG."""
import math
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from plots import main, plt, save, write  # noqa: E402
from results import read, value  # noqa: E402

CLASS_TITLES = {
    "A": "A: random members",
    "B": "B: strides",
    "B-": "B-: strides, affine and runs off",
    "C": "C: unions of ranges",
    "D": "D: unions of hypercube faces",
    "E": "E: falling ranges",
}
STRATEGIES = {"space": "#4477aa", "hybrid": "#228833", "time": "#cc6677"}
# The order of the tags; what is not named here comes behind.
ORDER = [
    "plain",
    "array",
    "packed",
    "affine",
    "runs",
    "bitmap",
    "eliasfano",
    "gap",
    "bdd",
    "bwt",
    "pperm",
    "wtr",
    "concat",
    "sub",
]
POINTS_PER_CLASS = 150


def known(names):
    names = set(names)
    return [name for name in ORDER if name in names] + sorted(names.difference(ORDER))


def palette(names):
    colours = plt.get_cmap("tab20").colors
    return {name: colours[i % len(colours)] for i, name in enumerate(known(names))}


def panels(classes, width=11, height=6.2):
    columns = 3 if len(classes) > 1 else 1
    figure, axes = plt.subplots(
        math.ceil(len(classes) / columns), columns, figsize=(width, height), squeeze=False
    )
    flat = [axis for line in axes for axis in line]
    for axis in flat[len(classes) :]:
        axis.set_visible(False)
    return figure, flat


def of_class(rows, name, forced=True):
    return [row for row in rows if row["class"] == name and (row["strategy"] == "") == forced]


def boxes(rows, column, what, path):
    """Lookup times of each representation: quartiles, and the least and greatest as in the
    thesis."""
    classes = [name for name in CLASS_TITLES if of_class(rows, name)]
    figure, axes = panels(classes)
    colours = palette(row["representation"] for row in rows)
    for axis, name in zip(axes, classes):
        mine = of_class(rows, name)
        names = known(row["representation"] for row in mine)
        data = [
            [value(row, column) for row in mine if row["representation"] == rep and row[column]]
            for rep in names
        ]
        drawn = axis.boxplot(
            data, whis=(0, 100), widths=0.6, patch_artist=True, medianprops={"color": "black"}
        )
        for box, rep in zip(drawn["boxes"], names):
            box.set_facecolor(colours[rep])
        axis.set_xticks(range(1, len(names) + 1), names, rotation=55, ha="right")
        axis.set_yscale("log")
        axis.set_title(CLASS_TITLES[name])
        axis.set_ylabel(what)
    save(figure, path)


def thin(rows, most):
    """Every k-th map, so that a plot has no more than `most` of a class."""
    maps = sorted({int(row["map"]) for row in rows})
    kept = set(maps[:: max(1, math.ceil(len(maps) / most))])
    return [row for row in rows if int(row["map"]) in kept]


def scatter(rows, path):
    classes = [name for name in CLASS_TITLES if of_class(rows, name)]
    figure, axes = panels(classes)
    colours = palette(row["representation"] for row in rows)
    handles = {}
    for axis, name in zip(axes, classes):
        mine = thin(of_class(rows, name), POINTS_PER_CLASS)
        for rep in known(row["representation"] for row in mine):
            points = [row for row in mine if row["representation"] == rep]
            handles[rep] = axis.scatter(
                [value(row, "rand_ns") for row in points],
                [max(1.0, value(row, "bytes")) for row in points],
                s=7,
                color=colours[rep],
                rasterized=True,
            )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(CLASS_TITLES[name])
        axis.set_xlabel("ns per dependent random lookup")
        axis.set_ylabel("payload in bytes (0 drawn as 1)")
    names = known(handles)
    figure.legend(
        [handles[rep] for rep in names],
        names,
        loc="lower center",
        ncol=min(len(names), 8),
        markerscale=2,
    )
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    write(figure, path)


def strategies(rows, column, what, path):
    """Along the maps of a class, ordered by size."""
    classes = [name for name in CLASS_TITLES if of_class(rows, name, False)]
    figure, axes = panels(classes)
    for axis, name in zip(axes, classes):
        mine = of_class(rows, name, False)
        for strategy, colour in STRATEGIES.items():
            line = sorted(
                (row for row in mine if row["strategy"] == strategy), key=lambda row: int(row["n"])
            )
            axis.plot(
                range(len(line)),
                [max(1.0, value(row, column)) for row in line],
                ".",
                markersize=2.5,
                color=colour,
                label=strategy,
                rasterized=True,
            )
        axis.set_yscale("log")
        axis.set_title(CLASS_TITLES[name])
        axis.set_xlabel("map, by size")
        axis.set_ylabel(what)
    axes[0].legend(markerscale=3)
    save(figure, path)


def table61(rows, path):
    hybrid = [row for row in rows if row["strategy"] == "hybrid"]
    figure, axis = plt.subplots(figsize=(9, 3.4))
    places = range(len(hybrid))
    axis.bar(
        [x - 0.2 for x in places],
        [value(row, "thesis_saved_mb") for row in hybrid],
        0.4,
        label="thesis",
        color="#bbbbbb",
    )
    axis.bar(
        [x + 0.2 for x in places],
        [value(row, "saved_mb") for row in hybrid],
        0.4,
        label="here, hybrid",
        color=STRATEGIES["hybrid"],
    )
    axis.set_xticks(list(places), [f"{row['exp']}\n{row['representation']}" for row in hybrid])
    axis.set_ylabel("MB saved over all processes")
    axis.legend()
    save(figure, path)


def parameter(row, name):
    return int(row["case"].split(name)[1])


def transposes(rows, path):
    figure, axis = plt.subplots(figsize=(7, 4))
    for what, label in (
        ("wtr", "wavelet tree on runs"),
        ("packed", "packed"),
        ("hybrid", "hybrid: affine"),
    ):
        line = [row for row in rows if row["case"].startswith(f"transpose {what} R=")]
        if line:
            axis.plot(
                [parameter(row, "R=") for row in line],
                [value(row, "bytes_total") for row in line],
                ".-",
                markersize=3,
                label=label,
            )
    line = [row for row in rows if row["case"].startswith("transpose hybrid R=")]
    axis.plot(
        [parameter(row, "R=") for row in line],
        [value(row, "bound_bytes") for row in line],
        ":",
        color="black",
        label="n lg R bits",
    )
    axis.plot(
        [parameter(row, "R=") for row in line],
        [value(row, "array_bytes_total") for row in line],
        color="#bbbbbb",
        label="array",
    )
    axis.set_xlabel("rows R of the transposed matrix")
    axis.set_ylabel("payload in bytes")
    axis.legend()
    save(figure, path)


def random_graph(rows, path):
    figure, axis = plt.subplots(figsize=(7, 4))
    lines = {"hybrid": "random graph ", "bwt": "random graph bwt "}
    for label, prefix in lines.items():
        line = [
            row
            for row in rows
            if row["case"].startswith(prefix) and row["case"][len(prefix) :].isdigit()
        ]
        if not line:
            continue
        x = [int(row["communicators"]) for row in line]
        axis.plot(x, [value(row, "bytes_total") for row in line], ".-", label=label)
        if label == "hybrid":
            axis.plot(
                x, [value(row, "array_bytes_total") for row in line], color="#bbbbbb", label="array"
            )
            axis.plot(
                x,
                [value(row, "bound_bytes") for row in line],
                ":",
                color="black",
                label="information bound",
            )
    axis.set_xlabel("communicators")
    axis.set_ylabel("bytes in all")
    axis.legend()
    save(figure, path)


def draw(results):
    e1, e2, e3 = (
        read(results / name) for name in ("e1_classes.csv", "e2_table61.csv", "e3_worlds.csv")
    )
    if e1:
        boxes(e1, "seq_ns", "ns per member, sequential", results / "e1_sequential.svg")
        boxes(e1, "rand_ns", "ns per lookup, random", results / "e1_random.svg")
        scatter(e1, results / "e1_scatter.svg")
        strategies(e1, "rand_ns", "ns per lookup, random", results / "e1_strategies_ns.svg")
        strategies(
            e1, "bytes", "payload in bytes (0 drawn as 1)", results / "e1_strategies_bytes.svg"
        )
    if e2:
        table61(e2, results / "e2_table61.svg")
    if e3:
        transposes(e3, results / "e3_transposes.svg")
        random_graph(e3, results / "e3_random_graph.svg")


if __name__ == "__main__":
    main(__doc__, draw, "e[123]_*.svg")
