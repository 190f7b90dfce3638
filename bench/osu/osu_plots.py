# SPDX-License-Identifier: BSD-3-Clause
"""osu_plots.py RESULTS [--doc DOC]: e10_osu.svg, the ratio of each row to the other library, in
groups, and each group's geometric mean."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import osu_rows_of as measured  # noqa: E402
from matplotlib.ticker import LogLocator, NullLocator  # noqa: E402
from plots import main, plt, save  # noqa: E402
from results import read  # noqa: E402

COLOURS = {"osu": "#4477aa", "rows": "#aa3377"}


def panel(axis, groups, other, place):
    """Rows of one place: a column of dots for each kind, rows of small messages on its left."""
    kinds = [(source, kind) for source, kind, where in groups if where == place]
    for x, (source, kind) in enumerate(kinds):
        some = sorted(groups[source, kind, place], key=lambda row: row.bytes)
        ratios = [row.ratio(other) for row in some]
        step = 0.6 / max(1, len(some) - 1)
        at = [x - 0.3 + step * k for k in range(len(some))]
        axis.plot(at, ratios, ".", color=COLOURS[source], markersize=2)
        mean = measured.geometric_mean(ratios)
        axis.plot([x - 0.4, x + 0.4], [mean, mean], "-", color="black", linewidth=1)
    axis.axhline(1, color="#888888", linewidth=0.6)
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set_xticks(range(len(kinds)))
    axis.set_xticklabels([kind for _, kind in kinds], rotation=90, fontsize="x-small")
    axis.set_title(place)


def draw(results):
    rows = measured.collected(read(results / "e10_osu.csv"))
    for other in measured.others(rows)[:1]:
        groups = measured.by_kind(rows, other)
        places = list(dict.fromkeys(place for _, _, place in groups))
        figure, axes = plt.subplots(
            1, len(places), figsize=(4.2 * len(places), 4), squeeze=False, sharey=True
        )
        for axis, place in zip(axes[0], places):
            panel(axis, groups, other, place)
        axes[0][0].set_ylabel(f"our time over that of {other}")
        save(figure, results / "e10_osu.svg")


if __name__ == "__main__":
    main(__doc__, draw, "e10_*.svg")
