#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""HPL with this library, stock MPICH and Open MPI, and with each representation of maps forced.

HPL comes from the HPC Challenge program that maint/demo runs, pinned in upstream.ini.  Runs take
turns; a figure is the median of the runs' times, a ratio that of the ratios in one round.  The
matrix is small, so that messages take a good part of the time.  A run whose residual does not pass
ends the benchmark.

Writes bench/results/hpl.csv: bench,build,ranks,case,median_us,p10_us,p90_us,bytes. """
import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from openmpi import OpenMPI  # noqa: E402
from page import figure, put, table  # noqa: E402
from runs import (  # noqa: E402
    ROOT,
    Build,
    add_builds,
    add_quick,
    find_builds,
    force,
    paired_ratio,
    representations,
    rows_of,
    take_turns,
    write_rows,
)

WORK = ROOT / "build" / "bench" / "hpl"
INPUT = ROOT / "examples" / "hpcc" / "hpccinf.txt"
DEFINES = ["-DAdd_", "-DF77_INTEGER=int", "-DStringSunStyle", "-w"]
# HPL calls functions of MPI-1.  Open MPI has them, but makes each use of a declaration an error.
WITHOUT_DECLARATIONS = "-DOMPI_OMIT_MPI1_COMPAT_DECLS=1"
LIBRARY = "hpl/lib/cmap/libhpl.a"


def build_library(tarball, where, mpicc):
    """libhpl.a in a tree of its own; nothing if it is there."""
    if (where / LIBRARY).is_file():
        return
    where.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-xf", tarball, "-C", where, "--strip-components=1"], check=True)
    (where / "hpl" / "Make.cmap").write_text((INPUT.parent / "Make.cmap").read_text())
    (where / "hpl" / "lib" / "cmap").mkdir(exist_ok=True)
    make = ["make", "-s", f"-j{os.cpu_count()}", "-C", where / "hpl/lib/arch/build"]
    target = ["-f", "Makefile.hpcc", "arch=cmap", f"MPICC={mpicc}", "../../../lib/cmap/libhpl.a"]
    subprocess.run([*make, *target], check=True)


def compile_for(build, tarball):
    where = WORK / build.name
    build_library(tarball, where, " ".join([*map(str, build.mpicc), WITHOUT_DECLARATIONS]))
    includes = [f"-I{where}/include", f"-I{where}/hpl/include"]
    build.compile(*DEFINES, *includes, where / LIBRARY, "-lopenblas", "-lm")


def write_input(n, rows, columns):
    """The input of maint/demo with another matrix and grid."""
    text = INPUT.read_text()
    for value, words in (
        (n, "problem sizes N"),
        (rows, "grid rows P"),
        (columns, "grid columns Q"),
    ):
        text, found = re.subn(rf"(?m)^\d+( +{words})$", rf"{value}\1", text)
        if found != 1:
            raise SystemExit(f"hpl: {INPUT} has no line of {words}")
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "hpccinf.txt").write_text(text)


def run_with(ranks):
    def run(build):
        os.chdir(WORK)  # HPL reads and writes here
        lines = build.with_env({"OPENBLAS_NUM_THREADS": "1", **build.env}).lines(ranks, [], 300)
        return {"hpl": 1e6 * next(float(words[2]) for words in lines if words[0] == "hpl")}

    return run


def rows_for_page(found, base, ranks):
    ours = found["patched"]["hpl"]
    for name, cases in found.items():
        us = cases["hpl"]
        against = [paired_ratio(us, found[base]["hpl"]), paired_ratio(us, ours)]
        yield [name.replace("patched:", "ours, all maps "), str(ranks)] + [
            figure(x) for x in (statistics.median(us) / 1e6, *against)
        ]


def arguments():
    ap = argparse.ArgumentParser(
        prog="maint/bench hpl",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_builds(ap)
    ap.add_argument("--n", type=int, default=1600, help="order of the matrix (default 1600)")
    ap.add_argument("--rows", type=int, default=2, help="rows of the grid of ranks (default 2)")
    ap.add_argument("--columns", type=int, default=2, help="its columns (default 2)")
    ap.add_argument("--rounds", type=int, default=15, help="runs of each build (default 15)")
    add_quick(ap, "2 runs", rounds=2)
    ap.add_argument(
        "--doc", action="store_true", help="also the table of doc/measurements/latency.md"
    )
    ap.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "hpl.csv")
    return ap.parse_args()


def main():
    a = arguments()
    ranks = a.rows * a.columns
    stock, _, patched = find_builds("hpl", a.stock, a.patched)
    openmpi = OpenMPI("hpl") if OpenMPI.present() else None
    tarball = subprocess.check_output([ROOT / "maint" / "fetch", "--print", "hpcc"], text=True)
    builds = [build for build in (stock, openmpi, patched) if build]
    for build in builds:
        compile_for(build, tarball.strip())
    write_input(a.n, a.rows, a.columns)
    lister = Build("patched", patched.prefix, "pt2pt")
    lister.compile()
    builds += [force(patched, name) for name in representations(lister)]
    found = take_turns(builds, a.rounds, run_with(ranks), f"HPL, {ranks} ranks")
    base = "stock" if stock else "patched"
    rows = list(rows_for_page(found, base, ranks))
    text = table(["build", "ranks", "s", f"ratio to {base}", "ratio to ours"], rows)
    print(text)
    write_rows(a.output.resolve(), rows_of("hpl", ranks, found, 8 * a.n * a.n))
    if a.doc:
        put(ROOT / "doc" / "measurements" / "latency.md", "hpl", {"times": text})


if __name__ == "__main__":
    main()
