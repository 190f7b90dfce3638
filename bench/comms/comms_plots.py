# SPDX-License-Identifier: BSD-3-Clause
"""comms_plots.py RESULTS [--doc DOC]: the plots of maint/bench comms, beside the CSVs, as SVG.
e4_durations_*: figures 2 and 3 of the paper on context identifiers, e4_alive: figure 5,
e4_density_*: figures 6 and 7."""
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from plots import main, plt, save  # noqa: E402
from results import read  # noqa: E402

COLOURS = {
    "stock": "#bbbbbb",
    "patched": "#228833",
    "openmpi": "#ee8866",
    "array": "#228833",
    "rbtree": "#cc6677",
    "radix": "#4477aa",
}
TITLES = {"small": "SmallComm: 8 to 16 members", "large": "LargeComm: all ranks but 0 to 8"}
BUILDS = ("stock", "patched", "openmpi")
INTERVALS = 16
WINDOW = 200  # splits to take the median of


def groups(rows, *columns):
    """Rows by the values of some columns, in the order in which these come."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[column] for column in columns), []).append(row)
    return found


def creation(rows, path):
    by_ranks = groups([row for row in rows if row["bench"] == "create"], "ranks")
    figure, axes = plt.subplots(1, len(by_ranks), figsize=(3.7 * len(by_ranks), 3.4), squeeze=False)
    for axis, ((ranks,), mine) in zip(axes[0], by_ranks.items()):
        cases = list(dict.fromkeys(row["case"] for row in mine))
        for k, ((build,), bars) in enumerate(groups(mine, "build").items()):
            median, low, high = (
                [float(row[column]) for row in bars] for column in ("median_us", "p10_us", "p90_us")
            )
            around = [[m - x for m, x in zip(median, low)], [x - m for m, x in zip(median, high)]]
            axis.bar(
                [cases.index(row["case"]) + 0.27 * k - 0.27 for row in bars],
                median,
                0.27,
                yerr=around,
                label=build,
                color=COLOURS[build],
                error_kw={"linewidth": 0.8},
            )
        axis.set_xticks(range(len(cases)), cases, rotation=55, ha="right")
        axis.set_title(f"{ranks} ranks")
        axis.set_ylabel("us a call")
    axes[0][0].legend()
    save(figure, path)


def durations(rows, shape, path):
    """How often a split takes how long, at each number of ranks."""
    by_ranks = groups(
        [row for row in rows if row["bench"] == shape and row["build"] in BUILDS], "ranks"
    )
    if not by_ranks:
        return
    figure, axes = plt.subplots(1, len(by_ranks), figsize=(5.2 * len(by_ranks), 3.4), squeeze=False)
    for axis, ((ranks,), mine) in zip(axes[0], by_ranks.items()):
        us = {
            build: [float(row["us"]) for row in some]
            for (build,), some in groups(mine, "build").items()
        }
        together = sorted(x for some in us.values() for x in some)
        low, high = together[0], together[int(0.98 * (len(together) - 1))]
        width = (high - low) / INTERVALS or 1
        for k, (build, some) in enumerate(us.items()):
            count = [0] * (INTERVALS + 1)
            for x in some:
                count[min(int((x - low) / width), INTERVALS)] += 1
            axis.bar(
                [i + 0.28 * k - 0.28 for i in range(INTERVALS + 1)],
                [c / len(some) for c in count],
                0.28,
                color=COLOURS[build],
                label=f"{build}: mean {statistics.mean(some):.0f} us",
            )
        axis.set_xticks(
            range(INTERVALS + 1),
            [f"{low + i * width:.0f}" for i in range(INTERVALS)] + ["more"],
            rotation=55,
            ha="right",
        )
        axis.set_title(f"{TITLES[shape]}, {ranks} ranks")
        axis.set_xlabel("MPI_Comm_split, us from")
        axis.set_ylabel("part of the splits")
        axis.legend()
    save(figure, path)


def along(rows, path):
    """The more communicators there are, the longer?"""
    shapes = [shape for shape in TITLES if any(row["bench"] == shape for row in rows)]
    ranks = min(int(row["ranks"]) for row in rows)
    figure, axes = plt.subplots(1, len(shapes), figsize=(5.2 * len(shapes), 3.4), squeeze=False)
    for axis, shape in zip(axes[0], shapes):
        mine = [
            row
            for row in rows
            if row["bench"] == shape and int(row["ranks"]) == ranks and row["round"] == "0"
        ]
        for (build,), line in groups(mine, "build").items():
            us = [float(row["us"]) for row in line]
            starts = range(0, len(us), WINDOW)
            axis.plot(
                starts,
                [statistics.median(us[i : i + WINDOW]) for i in starts],
                marker=".",
                markersize=3,
                color=COLOURS[build.split(":")[-1]],
                linestyle=":" if build == "patched" else "-",
                label=build,
            )
        axis.set_ylim(bottom=0)
        axis.set_title(f"{TITLES[shape]}, {ranks} ranks")
        axis.set_xlabel("communicators there are")
        axis.set_ylabel(f"us a split, median of {WINDOW}")
        axis.legend()
    save(figure, path)


def alive(rows, path):
    """Figure 5 of the paper: latency by the number of communicators."""
    mine = [row for row in rows if row["bench"] == "alive"]
    figure, axis = plt.subplots(figsize=(5.6, 3.4))
    for (build,), some in groups(mine, "build").items():
        for place, style in (("world", ":"), ("newest", "-")):
            points = [
                (int(row["case"].split()[1]), float(row["median_us"]))
                for row in some
                if row["case"].startswith(place)
            ]
            axis.plot(
                *zip(*points),
                style,
                marker=".",
                color=COLOURS[build.split(":")[-1]],
                label=f"{build}, {place}",
            )
    axis.set_xscale("symlog", linthresh=1000)
    axis.set_ylim(bottom=0)
    axis.set(xlabel="communicators alive", ylabel="half a round trip of 8 bytes, us")
    axis.legend(fontsize="x-small")
    save(figure, path)


def density(rows, shape, path):
    mine = [row for row in rows if row["bench"] == shape and ":" in row["build"]]
    if not mine:
        return
    figure, axis = plt.subplots(figsize=(6.5, 3.4))
    for (build,), line in groups(mine, "build").items():
        kind = build.split(":")[1]
        axis.plot(
            [int(row["rank"]) for row in line],
            [float(row["density"]) for row in line],
            ".-",
            markersize=4,
            color=COLOURS[kind],
            label=kind,
        )
    axis.set_ylim(0, 1.05)
    axis.set_title(TITLES[shape])
    axis.set_xlabel("rank in MPI_COMM_WORLD")
    axis.set_ylabel("ids used / elements allocated, mean")
    axis.legend()
    save(figure, path)


def draw(results):
    comms, times, tables = (
        read(results / name) for name in ("e4_comms.csv", "e4_cid_times.csv", "e4_cid_density.csv")
    )
    if any(row["bench"] == "create" for row in comms):
        creation(comms, results / "e4_create.svg")
    if any(row["bench"] == "alive" for row in comms):
        alive(comms, results / "e4_alive.svg")
    if times:
        along(times, results / "e4_splits.svg")
    for shape in TITLES:
        durations(times, shape, results / f"e4_durations_{shape}.svg")
        density(tables, shape, results / f"e4_density_{shape}.svg")


if __name__ == "__main__":
    main(__doc__, draw, "e4_*.svg")
