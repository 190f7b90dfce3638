#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: maint/bench maps [--quick] [--doc] [--no-run] [--times FILE] [EXPERIMENT...]
#
# Measures maps alone, without MPI: E1 (classes A-E), E2 (the communicators of the thesis's table
# 6.1), E3 (structured worlds).  Writes bench/results/e1_*.csv, e2_table61.csv, e3_worlds.csv, the
# plots beside them, and ends with each figure that must be shown, met or missed.
#   --quick     fewer maps and rounds: under 2 minutes
#   --doc       also puts plots and tables into doc/measurements/ (maps.md between its markers,
#               plots/)
#   --no-run    plots and tables of the results that are there
#   --times FILE   the strategies choose by these times, which cmap-calibrate has measured
#   EXPERIMENT  only these: e1 pairs ratios build e2 e3
# Without python3-matplotlib the CSVs still come out.
set -euo pipefail
. "$(dirname "$0")/../../maint/lib/common.sh"
PROGRAM="bench maps"
. "$ROOT/maint/lib/packages.sh"
. "$ROOT/bench/lib/module.sh"
. "$ROOT/bench/lib/results.sh"

SIZE=full
EXPERIMENTS=()
TIMES=()
while [ $# -gt 0 ]; do
    common_option "$1" || case $1 in
    --quick) SIZE=quick ;;
    --times) TIMES=(--times "${2:?--times needs a file}") && shift ;;
    -*) die "unknown option $1 (maint/bench maps --help)" ;;
    *) EXPERIMENTS+=("$1") ;;
    esac
    shift
done

if [ -n "$RUN" ]; then
    module_program release/cmap_experiments
    mkdir -p "$RESULTS"
    [ "$SIZE" = full ] || EXPERIMENTS=(--quick "${EXPERIMENTS[@]}")
    "$MODULE_PROGRAM" --out "$RESULTS" "${TIMES[@]}" "${EXPERIMENTS[@]}" | tee "$RESULTS/maps.txt"
    { echo "$SIZE" && cpu_model; } >"$RESULTS/maps_run.txt"
fi
plots_and_tables maps
