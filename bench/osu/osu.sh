#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: maint/bench osu [--programs=LIBRARY:DIR]... [--quick] [--doc] [--no-run] [OPTION...]
#
# The rows of the OSU micro-benchmarks, ours, Open MPI (maint/build --openmpi) and stock with the
# idle yield in turn: messages; collectives, blocking, nonblocking, persistent and on neighbours;
# one-sided communication with each kind of window and of epoch.  Two processes are compared only
# where a cache line takes as long from one core to the other, and launches are repeated until both
# distances have been seen.  Writes bench/results/e10_osu.csv and the picture beside it, and ends
# with geometric means and the worst rows.
#   --programs=LIBRARY:DIR   the OSU programs (version 7), built by you with the mpicc of that
#                            LIBRARY (patched, openmpi, stock): they are somewhere under DIR.  Once
#                            for each library to compare.  Without it, programs of our own measure
#                            the same rows; with it, those alone that the OSU programs lack: with
#                            more ranks than cores a collective and its barrier together, and
#                            collectives in a row
#   --quick                  few sizes, short: some minutes (all of it an hour and more)
#   --doc                    also puts tables and picture into doc/measurements/ (osu.md between its
#                            markers, plots/)
#   --no-run                 tables and picture of the results that are there
#   --sets=pt2pt,blocking --ranks=2,8 and other options: --help-options lists them
# Without python3-matplotlib the CSV still comes out.
set -euo pipefail
. "$(dirname "$0")/../../maint/lib/common.sh"
PROGRAM="bench osu"
. "$ROOT/maint/lib/packages.sh"
. "$ROOT/bench/lib/module.sh"
. "$ROOT/bench/lib/results.sh"

measure_and_report osu "$@"
