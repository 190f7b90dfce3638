#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What maint/bench osu makes of launches: how it reads the OSU programs' output, which launches it
compares, and when there are enough of them."""
import pathlib
import sys
import types

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "lib"), str(ROOT / "bench" / "osu")]
import osu_programs as osu  # noqa: E402
import osu_report  # noqa: E402
import osu_rows_of as measured  # noqa: E402
from runs import by_distance, until_enough, without_failing  # noqa: E402

NEAR, FAR = 0.025, 0.1  # us that a cache line takes


def words(text):
    return [line.split() for line in text.splitlines()]


def same(got, wanted):
    assert got == wanted, f"{got} instead of {wanted}"


def reads_output():
    text = """line 0.0250

# OSU MPI Something Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       4.58
1024                    2.83
line 0.0260"""
    same(osu.figures(words(text)), {("us", 1): 4.58, ("us", 1024): 2.83})
    same(osu.times_of_lines(words(text)), [0.025, 0.026])
    text = """# [ pairs: 1 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
8                       3.99        3988259.56"""
    same(osu.figures(words(text)), {("MB/s", 8): 3.99, ("msg/s", 8): 3988259.56})
    # a note with the words of titles is no line of titles, and a barrier has no size
    text = """# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
        28.49             16.57             12.54              4.99"""
    same(osu.figures(words(text)), {("us", 0): 28.49, ("pure-us", 0): 12.54})
    text = """row bw MB/s 8 32.5
row bw MB/s 64 99"""
    same(osu.own_figures(words(text)), {"bw": {("MB/s", 8): 32.5, ("MB/s", 64): 99.0}})


def a_row(library, launch, line, figure, program="latency", **more):
    row = {
        "source": "rows",
        "group": "pt2pt",
        "program": program,
        "window": "",
        "sync": "",
        "ranks": "2",
        "cores": "2",
        "what": "us",
        "bytes": "8",
        "library": library,
        "launch": str(launch),
        "first_us": str(line or ""),
        "last_us": str(line or ""),
        "figure": str(figure),
    }
    return row | more


def compares_at_one_distance():
    rows = [
        a_row("patched", 0, NEAR, 1),
        a_row("patched", 1, FAR, 9),
        a_row("patched", 2, NEAR, 777, last_us=str(FAR)),  # it changed
        a_row("openmpi", 0, FAR, 3),
        a_row("openmpi", 1, NEAR, 2),
        a_row("openmpi", 2, 1.02 * NEAR, 2),
    ]
    found = {row.distance: row.ratio("openmpi") for row in measured.collected(rows)}
    same(found, {"25 ns": 0.5, "100 ns": 3.0})


def less_is_better_of_rates_too():
    rows = [
        a_row("patched", 0, NEAR, 400, "bw", what="MB/s"),
        a_row("stock", 0, NEAR, 100, "bw", what="MB/s"),
    ]
    (row,) = measured.collected(rows)
    same(row.ratio("stock"), 0.25)
    same(row.ratio("openmpi"), None)
    same(measured.others([row]), ["stock"])


def crowded_roots_do_not_count():
    def kinds(ranks, group="blocking", end=""):
        names = [f"bcast{end}", f"bcast{end}+barrier", f"bcast{end}-in-a-row", f"allreduce{end}"]
        more = {"group": group, "ranks": str(ranks)}
        return [
            measured.collected([a_row("patched", 0, None, 1, name, **more)])[0].kind()
            for name in names
        ]

    more = ["blocking, with the barrier behind", "blocking, in a row"]
    same(kinds(2), ["blocking", *more, "blocking"])
    same(kinds(8), [None, *more, "blocking"])
    same(kinds(8, "persistent", "_persistent")[::3], [None, "persistent"])
    rooted = a_row("patched", 0, None, 1, "igather", group="nonblocking", ranks="8")
    same(measured.collected([rooted])[0].kind(), "nonblocking")  # ours have the barrier in it
    same(measured.collected([rooted | {"source": "osu"}])[0].kind(), None)


def tables_name_the_worst():
    rows = []
    for launch, (line, times) in enumerate(((NEAR, (1, 4)), (FAR, (2, 1)))):
        for library, us in zip(("patched", "openmpi"), times):
            rows.append(a_row(library, launch, line, us))
            rows.append(a_row(library, launch, line, 1, "bw", what="failed"))
    found = measured.collected(rows)
    lines = osu_report.worst(found, "openmpi").splitlines()[2:]
    same([line.split("|")[-2].strip() for line in lines], ["2.00", "0.25"])
    same([line.split("|")[3].strip() for line in lines], ["2 ranks, 100 ns", "2 ranks, 25 ns"])
    mean = osu_report.programs(found, ["openmpi"]).splitlines()[2]
    same([cell.strip() for cell in mean.split("|")[2:5]], ["latency", "us", "2 ranks, 25 ns"])
    same(measured.failures(rows), [("bw", "patched"), ("bw", "openmpi")])
    same(round(measured.geometric_mean([2, 0.5, 8]), 9), 2.0)


def repeats_until_both_distances():
    builds = [types.SimpleNamespace(name=name) for name in ("a", "b")]

    def launches(lines, distances):
        turns = iter(lines)

        def run(_):
            line = next(turns)
            return {"case": 1.0}, [line, line]

        return until_enough(builds, 3, run, distances=distances)

    # far from the seventh launch of each on
    done = launches([NEAR] * 14 + [FAR] * 100, 2)
    same(len(done), 2 * (7 + 3))
    same(len(by_distance(done)), 2)
    same(len(launches([NEAR] * 100, 1)), 2 * 3)
    same(len(launches([NEAR] * 100, 2)), 2 * 4 * 3)  # it never comes


def goes_on_without_who_fails():
    builds = [types.SimpleNamespace(name=name) for name in ("a", "b", "c")]

    def run(build):
        if build.name == "b":
            raise SystemExit("no such collective")
        return build.name

    def all_of(some, tried):
        return [tried(build) for build in some]

    same(without_failing(builds, all_of, run, "test"), (["a", "c"], ["b"]))
    same(without_failing(builds[1:2], all_of, run, "test"), (None, ["b"]))
    try:
        without_failing(builds, all_of, run, "test", lambda build: build.name == "a")
    except SystemExit:
        return
    raise AssertionError("what must not fail was left out")


def main():
    for check in (
        reads_output,
        compares_at_one_distance,
        less_is_better_of_rates_too,
        crowded_roots_do_not_count,
        tables_name_the_worst,
        repeats_until_both_distances,
        goes_on_without_who_fails,
    ):
        check()
        print(f"{check.__name__}: right")


main()
