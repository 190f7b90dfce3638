# SPDX-License-Identifier: BSD-3-Clause
"""Plots as small SVGs, the same bytes for the same figures."""
import pathlib
import shutil

import matplotlib

from results import arguments
from small_svg import small

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

matplotlib.rcParams.update(
    {
        "svg.hashsalt": "cmap",
        "svg.fonttype": "none",
        "font.size": 8,
        "figure.dpi": 110,
        "savefig.dpi": 120,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.axisbelow": True,
    }
)


def write(figure, path):
    # all of it, legends outside, too
    figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plt.close(figure)
    pathlib.Path(path).write_text(small(pathlib.Path(path).read_text()))
    print("wrote", path)


def save(figure, path):
    figure.tight_layout()
    write(figure, path)


def main(text, draw, names):
    """draw(RESULTS), and with --doc copies of the plots whose names match the pattern."""
    options = arguments(text, "also copies the plots to DOC/plots")
    draw(options.results)
    if options.doc:
        (options.doc / "plots").mkdir(exist_ok=True)
        for plot in sorted(options.results.glob(names)):
            shutil.copy(plot, options.doc / "plots")
