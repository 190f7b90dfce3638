#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: maint/bench comms [--quick] [--doc] [--no-run] [OPTION...]
#
# What it takes to create communicators, stock, ours and Open MPI (where it is installed) in turn:
# time of each way to create one, the stress test of "Trade-offs in context identifier allocation in
# MPI" (section 4.1), creation by several threads, latency with many communicators alive, memory of
# a duplicate, number of communicators before the error. Writes bench/results/e4_comms.csv,
# e4_cid.csv and the plots beside them, and ends with each figure that must be shown, met or missed.
#   --quick     2 and 16 ranks, few rounds: about 2 minutes
#   --doc       also puts plots and tables into doc/measurements/ (communicators.md between its
#               markers, plots/)
#   --no-run    plots and tables of the results that are there
#   --ranks=2,16,64 and other options: --help-options lists them
# Without python3-matplotlib the CSVs still come out.
set -euo pipefail
. "$(dirname "$0")/../../maint/lib/common.sh"
PROGRAM="bench comms"
. "$ROOT/maint/lib/packages.sh"
. "$ROOT/bench/lib/module.sh"
. "$ROOT/bench/lib/results.sh"

measure_and_report comms "$@"
