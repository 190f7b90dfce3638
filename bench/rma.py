#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One-sided communication: stock (with the idle yield), ours under hybrid, eager and lazy (MPIR_CVAR_CH4_RMA_ISSUE), and Open MPI
where Debian's package is installed.

Places: "messages" is one machine cut into two nodes (MPIR_CVAR_NUM_CLIQUES=2) with MPI_Win_create; "node" is one node with
MPI_Win_allocate; "hosts" is two hosts (maint/hosts, needs root) whose link is delayed.  Runs of bench/rma.c take turns; a run's
figure is the median of its batches, a row's the median over the runs.  Ratios are medians of the ratios of one round.  What must
be shown is printed with its figure, met or missed.

Writes bench/results/rma.csv: place,set,build,ranks,case,median,sd; with --plots pictures of it.
"""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from aggr import OpenMPI, sd  # noqa: E402
from runs import ROOT, Build, add_builds, find_builds, paired_ratio, take_turns, write_rows  # noqa: E402

COLUMNS = "place,set,build,ranks,case,median,sd".split(",")
MODES = ("hybrid", "eager", "lazy")
OURS = [f"patched:{mode}" for mode in MODES]
HOSTS = ROOT / "maint" / "hosts"
SINGLE_LIMITS = {"messages": 0.5, "node": 0.2, "hosts": 0.4}
MANY_LIMIT = 1.05
OVERLAP_FROM = 65536
OVERLAP_LEAST = {"put": 75, "get": 35}
FENCE_OVERLAP_LEAST = 50
CONTEND_LEAST = 5.0
SHARE_LEAST = 0.5


def as_rma(build):
    build.source = ROOT / "bench" / "rma.c"
    build.program = build.program.with_name(f"rma-{build.name.split(':')[0]}")
    return build


def on_hosts(build):
    """The same build between hosts that are up."""
    placed = Build(build.name, build.prefix, "rma", build.env)
    placed.mpiexec = [HOSTS, "run", f"--prefix={build.prefix}"]
    return placed


def in_cliques(build):
    placed = Build(build.name, build.prefix, "rma", {**build.env, "MPIR_CVAR_NUM_CLIQUES": "2"})
    return placed


def measure(place, name, builds, ranks, a):
    window = "allocate" if place == "node" else "create"

    def run(build):
        found = build.lines(ranks, [name, a.batches, a.hosts_times if place == "hosts" else a.times, window], 900)
        return {case: float(value) for case, value in found}

    found = take_turns(builds, a.rounds, run, f"{place}, {name}, {ranks} ranks")
    print_table(found, place, name, ranks)
    return found


def print_table(found, place, name, ranks):
    base = found.get("stock")
    print(f"\n{place}, {name}, {ranks} ranks: median (ratio to stock)")
    for case in max(found.values(), key=len):
        cells = []
        for build, cases in found.items():
            ratio = f" ({paired_ratio(cases[case], base[case]):.3f})" if base and build != "stock" else ""
            cells.append(f"{build.replace('patched:', '')} {statistics.median(cases[case]):.3f}{ratio}")
        print(f"  {case:<16} " + "; ".join(cells), flush=True)


def verdict(is_met, text):
    return f"{'met   ' if is_met else 'missed'} {text}"


def single_verdicts(place, found):
    for case, us in found["patched:hybrid"].items():
        if "stock" in found and case.startswith("lock"):
            ratio = paired_ratio(us, found["stock"][case])
            yield verdict(ratio <= SINGLE_LIMITS[place], f"{place}, {case}: {ratio:.3f} of stock, at most {SINGLE_LIMITS[place]}")


def many_verdicts(place, found):
    for case, us in found["patched:hybrid"].items():
        best = min((found[build][case] for build in OURS[1:]), key=statistics.median)
        ratio = paired_ratio(us, best)
        yield verdict(ratio <= MANY_LIMIT, f"{place}, {case}: {ratio:.3f} of the better of eager and lazy, at most {MANY_LIMIT}")


def overlap_verdicts(place, found):
    for case, percent in found["patched:hybrid"].items():
        sync, kind, size = case.split("-")
        least = FENCE_OVERLAP_LEAST if sync == "fence" else OVERLAP_LEAST[kind]
        if place == "hosts" and int(size) >= OVERLAP_FROM:
            yield verdict(statistics.median(percent) >= least, f"{case}: {statistics.median(percent):.0f} % hidden, at least {least}")


def contend_verdicts(place, found):
    ours = found["patched:hybrid"]
    if "stock" in found:
        ratio = paired_ratio(ours["rate"], found["stock"]["rate"])
        yield verdict(ratio >= CONTEND_LEAST, f"{place}, one lock: {ratio:.2f} of stock's rate, at least {CONTEND_LEAST}")
    share = statistics.median(ours["least-share"])
    yield verdict(share >= SHARE_LEAST, f"{place}, one lock: least share {share:.2f}, at least {SHARE_LEAST}")


VERDICTS = {"single": single_verdicts, "many": many_verdicts, "overlap": overlap_verdicts, "contend": contend_verdicts}


def plots(tables, directory):
    """As in figures 4.1 to 4.6 of Zhao's thesis: a line for each build."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    directory.mkdir(parents=True, exist_ok=True)
    for place, name, _, found in tables:
        if name not in ("single", "many", "overlap"):
            continue
        for group in sorted({case.rsplit("-", 1)[0] for case in max(found.values(), key=len)}):
            for build, cases in found.items():
                line = sorted((int(case.rsplit("-", 1)[1]), statistics.median(us)) for case, us in cases.items()
                              if case.rsplit("-", 1)[0] == group)
                pyplot.plot(*zip(*line), marker="o", label=build.replace("patched:", ""))
            pyplot.xscale("log", base=2)
            if name != "overlap":
                pyplot.yscale("log")
            pyplot.xlabel("operations" if name == "many" else "bytes")
            pyplot.ylabel("overlap, percent" if name == "overlap" else "us")
            pyplot.title(f"{group}, {name}, {place}")
            pyplot.legend()
            pyplot.savefig(directory / f"rma-{place}-{name}-{group}.svg")
            pyplot.close()


def arguments():
    ap = argparse.ArgumentParser(prog="maint/bench rma", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--sets", default="single,many,overlap,contend,change", help="(default all)")
    ap.add_argument("--places", default="messages,node,hosts", help="(default all; hosts only as root)")
    ap.add_argument("--contenders", type=int, default=16, help="ranks that contend for a lock (default 16)")
    ap.add_argument("--delay", type=int, default=200, help="of the link between the hosts, us (default 200)")
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--batches", type=int, default=5)
    ap.add_argument("--times", type=int, default=2000, help="epochs of one operation in a batch (default 2000)")
    ap.add_argument("--hosts-times", type=int, default=40, help="the same between hosts (default 40)")
    ap.add_argument("--quick", action="store_true", help="3 rounds")
    ap.add_argument("--plots", metavar="DIR", type=Path, help="pictures")
    add_builds(ap)
    ap.add_argument("--output", metavar="FILE", type=Path, default=ROOT / "bench" / "results" / "rma.csv")
    a = ap.parse_args()
    a.rounds = 3 if a.quick else a.rounds
    a.sets, a.places = a.sets.split(","), a.places.split(",")
    if "hosts" in a.places and os.geteuid():
        print("rma: no root, no hosts", file=sys.stderr)
        a.places.remove("hosts")
    return a


def run_place(place, builds, a):
    if place == "hosts":
        subprocess.run([HOSTS, "up", "2", f"--delay={a.delay}"], check=True)
        builds = [on_hosts(b) for b in builds if b.name != "openmpi"]
    elif place == "messages":
        builds = [in_cliques(b) for b in builds if b.name != "openmpi"]
    try:
        for name in a.sets:
            ranks = a.contenders if name == "contend" else 2
            if not (name in ("overlap", "change") and place == "node"):
                yield place, name, ranks, measure(place, name, builds, ranks, a)
    finally:
        if place == "hosts":
            subprocess.run([HOSTS, "down"], check=True)


def main():
    a = arguments()
    stock, _, patched = find_builds("rma", a.stock, a.patched)
    ours = [Build(f"patched:{mode}", patched.prefix, "rma", {"MPIR_CVAR_CH4_RMA_ISSUE": mode}) for mode in MODES]
    builds = [b for b in (stock, *ours, as_rma(OpenMPI()) if OpenMPI.present() else None) if b]
    for build in builds:
        build.compile()
    tables = [table for place in a.places for table in run_place(place, builds, a)]
    write_rows(a.output, ([place, name, build, ranks, case, f"{statistics.median(us):.4f}", f"{sd(us):.4f}"]
                          for place, name, ranks, found in tables for build, cases in found.items()
                          for case, us in cases.items()), COLUMNS)
    if a.plots:
        plots(tables, a.plots)
    for place, name, _, found in tables:
        for line in VERDICTS.get(name, lambda *_: ())(place, found):
            print(line)


if __name__ == "__main__":
    main()
