#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which representations the default strategy (hybrid) chooses in programs.

Runs the commands below, or those given by --command, with a library loaded into each process.  It
counts the maps which the process builds in each representation from MPI_Init to MPI_Finalize.  A
map that is found alive is not built.  Prints the sums of all processes as a table, and writes them
to bench/results/chosen.csv.  --quick runs the group tests of the suite alone."""
import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from runs import ROOT  # noqa: E402

EXAMPLES = """
for p in grid2d libraries multigrid random_graph bfs; do
    $CMAP_INSTALL/bin/mpicc -O2 -o build/bench/$p examples/$p.c -lm &&
        $CMAP_INSTALL/bin/mpiexec -n 12 build/bench/$p >/dev/null || exit
done"""
COMMANDS = {
    "the tests `comm`, `group`, `topo`": "maint/check suite/comm suite/group suite/topo",
    "five of `examples/` on 12 ranks": EXAMPLES,
    "`maint/bench comms --quick`": "maint/bench comms --quick",
}
QUICK = {"the tests `group`": "maint/check suite/group"}
RESULTS = ROOT / "bench/results"
INSTALL = Path(os.environ.get("CMAP_INSTALL", ROOT / "install"))


def library():
    made = ROOT / "build/bench/libcount_builds.so"
    made.parent.mkdir(parents=True, exist_ok=True)
    source = ROOT / "bench/chosen/count_builds.c"
    mpi = f"-I{INSTALL}/include"  # the program has MPI, and the library is not to bring another
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", mpi, "-o", made, source], check=True)
    return made


def counted(command, preload, file):
    """(processes, representation -> maps built)"""
    file.unlink(missing_ok=True)
    env = {**os.environ, "LD_PRELOAD": str(preload), "CMAP_CHOSEN": str(file)}
    env["CMAP_INSTALL"] = str(INSTALL)
    done = subprocess.run(command, shell=True, cwd=ROOT, env=env, check=False)
    if done.returncode:
        print(f"chosen: {command} ended with status {done.returncode}", file=sys.stderr)
    sums, lines = Counter(), file.read_text().splitlines() if file.exists() else []
    for line in lines:
        words = line.split()
        sums.update({name: int(n) for name, n in zip(words[::2], words[1::2])})
    return len(lines), sums


def show(rows):
    names = list(next(iter(rows.values()))[1])
    print("| programs | processes | " + " | ".join(f"`{n}`" for n in names) + " |")
    print("|---" * (len(names) + 2) + "|")
    for what, (processes, sums) in rows.items():
        figures = " | ".join(f"{sums[n]:,}" for n in names)
        print(f"| {what} | {processes:,} | {figures} |")


def main():
    how = argparse.RawDescriptionHelpFormatter
    ap = argparse.ArgumentParser(
        prog="maint/bench chosen", description=__doc__, formatter_class=how
    )
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("--command", action="append", help="instead of those of the table")
    a = ap.parse_args()
    commands = {c: c for c in a.command or ()} or (QUICK if a.quick else COMMANDS)
    RESULTS.mkdir(parents=True, exist_ok=True)
    preload, rows = library(), {}
    for what, command in commands.items():
        rows[what] = counted(command, preload, RESULTS / "chosen.lines")
    rows = {what: row for what, row in rows.items() if row[0]}
    if not rows:
        sys.exit("chosen: no process has reached MPI_Finalize")
    with (RESULTS / "chosen.csv").open("w") as file:
        file.write("programs,processes,representation,maps\n")
        for what, (processes, sums) in rows.items():
            file.writelines(f'"{what}",{processes},{n},{m}\n' for n, m in sums.items())
    show(rows)


if __name__ == "__main__":
    main()
