# SPDX-License-Identifier: BSD-3-Clause
"""osu_report.py RESULTS [--doc DOC]: geometric means of our times over those of the other
libraries, and the worst rows; the tables of DOC/osu.md (between its markers <!-- osu:NAME --> and
<!-- /osu:NAME -->)."""
import pathlib
import re
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import osu_rows_of as measured  # noqa: E402
from page import figure, put, table  # noqa: E402
from results import arguments, read  # noqa: E402

WORST = 20
SOURCES = {"osu": "OSU", "rows": "ours"}


def cells_of_mean(some, other):
    if not some:
        return ["", "", ""]
    ratios = [row.ratio(other) for row in some]
    return [f"{measured.geometric_mean(ratios):.3f}", f"{max(ratios):.2f}", str(len(ratios))]


def means(rows, names):
    """A line for each kind of row and place."""
    found = {name: measured.by_kind(rows, name) for name in names}
    keys = dict.fromkeys(key for kinds in found.values() for key in kinds)
    heads = [head for name in names for head in (f"mean over {name}", "worst", "of")]
    lines = [
        [
            SOURCES[source],
            kind,
            place,
            *(cell for name in names for cell in cells_of_mean(found[name].get(key, []), name)),
        ]
        for key in keys
        for source, kind, place in [key]
    ]
    return table(["programs", "kind", "ranks, a cache line", *heads], lines)


def programs(rows, names):
    """A line for each program and place: the mean over its sizes, and over windows and epochs."""
    found = defaultdict(list)
    for row in rows:
        if row.kind():
            found[row.source, row.group, row.program, row.what, row.place()].append(row)
    lines = []
    for (source, _, program, what, place), some in found.items():
        cells = []
        for name in names:
            ratios = [row.ratio(name) for row in some if row.ratio(name)]
            cells.append(f"{measured.geometric_mean(ratios):.3f}" if ratios else "")
        if any(cells):
            lines.append([SOURCES[source], program, what, place, *cells])
    heads = [f"mean over {name}" for name in names]
    return table(["programs", "program", "of", "ranks, a cache line", *heads], lines)


def worst(rows, other, n=WORST):
    """The rows in which we are slowest beside the other library."""
    some = [row for row in rows if row.kind() and row.ratio(other)]
    some.sort(key=lambda row: row.ratio(other), reverse=True)
    lines = [
        [
            SOURCES[row.source],
            " ".join(filter(None, (row.program, row.window, row.sync))),
            row.place(),
            f"{row.bytes:,}",
            row.what,
            figure(row.median(measured.OURS)),
            figure(row.median(other)),
            f"{row.ratio(other):.2f}",
        ]
        for row in some[:n]
    ]
    heads = ["programs", "program", "ranks, a cache line", "bytes", "unit", "ours", other, "ratio"]
    return table(heads, lines)


def run(results):
    path = results / "osu_run.txt"
    command, cpu = (path.read_text().splitlines() + ["", ""])[:2] if path.exists() else ("", "")
    # where things are on this machine
    command = re.sub(r" --(stock|patched|openmpi)[= ]\S+", "", command.strip())
    command = re.sub(r"(--programs[= ]\w+):\S+", r"\1:DIR", command)
    return f"The run shown here: `{command}`, {cpu}."


def failed(raw):
    lines = [[what, library] for what, library in measured.failures(raw)]
    return table(["fails", "in"], lines) if lines else "No program failed."


def main():
    options = arguments(__doc__, "also puts the tables into DOC/osu.md")
    raw = read(options.results / "e10_osu.csv")
    rows = measured.collected(raw)
    names = measured.others(rows)
    if not names:
        print("osu: there is no other library with the same rows at the same distance: no ratios")
        return
    made = {
        "run": run(options.results),
        "means": means(rows, names),
        "worst": worst(rows, names[0]),
        "programs": programs(rows, names),
        "failed": failed(raw),
    }
    print("\nOur time over that of another library: geometric means\n" + made["means"])
    print("\nThe worst rows\n" + made["worst"])
    print("\n" + made["failed"])
    if options.doc:
        picture = "\n\n![the ratio of each row](plots/e10_osu.svg)"
        if (options.results / "e10_osu.svg").exists():
            made["means"] += picture
        put(options.doc / "osu.md", "osu", made)


if __name__ == "__main__":
    main()
