#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: maint/bench rma [--quick] [--doc] [--no-run] [OPTION...]
#
# One-sided communication: stock (with the idle yield), Open MPI where it is installed, and ours
# issuing eagerly, lazily and as it finds best (a window each, by the info key rma_issue), in turn.
# What X. Zhao measured ("Adaptive strategy for one-sided communication in MPICH2", chapter 4):
# single operations, many, operations on a process that waits in a barrier, overlap with
# computation, Graph500's search; and contention for a lock, epochs that change, large windows.
# Writes bench/results/e8_rma.csv and the plots beside it, and ends with each figure that must be
# shown, met or missed.
#   --quick     one round of fewer sizes, the small graph: some minutes (all of it about 20)
#   --doc       also puts plots and tables into doc/measurements/ (one_sided.md between its markers,
#               plots/)
#   --no-run    plots and tables of the results that are there
#   --places=node,messages,hosts, --sets=single,many and other options: --help-options lists them
# Between hosts only as root; without python3-matplotlib the CSVs still come out.
set -euo pipefail
. "$(dirname "$0")/../../maint/lib/common.sh"
PROGRAM="bench rma"
. "$ROOT/maint/lib/packages.sh"
. "$ROOT/bench/lib/module.sh"
. "$ROOT/bench/lib/results.sh"

measure_and_report rma "$@"
