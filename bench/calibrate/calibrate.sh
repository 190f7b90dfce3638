#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: maint/bench calibrate [--rounds N] [--dry-run] [--quick]
#
# Measures the times T which the strategies go by, as the installed cmap-calibrate does, and writes
# them into src/mpid/common/cmap/cmap_times.hpp: the defaults of the library.  Run it on a machine
# that does nothing else (about a minute), then build.
#   --rounds N   medians of N rounds (15)
#   --dry-run    prints the file instead of writing it
#   --quick      --rounds 3 --dry-run
set -euo pipefail
. "$(dirname "$0")/../../maint/lib/common.sh"
PROGRAM="bench calibrate"
. "$ROOT/maint/lib/packages.sh"
. "$ROOT/bench/lib/module.sh"
. "$ROOT/bench/lib/results.sh"

TIMES=$ROOT/src/mpid/common/cmap/cmap_times.hpp
ROUNDS=15
WRITE=(--write)
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage && exit ;;
    --rounds) ROUNDS=${2:?--rounds needs a number} && shift ;;
    --dry-run) WRITE=() ;;
    --quick) ROUNDS=3 WRITE=() ;;
    *) die "unknown option $1 (maint/bench calibrate --help)" ;;
    esac
    shift
done

module_program release/cmap-calibrate
mkdir -p "$RESULTS"
"$MODULE_PROGRAM" --rounds "$ROUNDS" --output "$RESULTS/cmap.times"
"$(python_with re)" "$ROOT/bench/calibrate/calibrate_file.py" "$TIMES" "$(cpu_model), $(nproc) cores" "${WRITE[@]}" <"$RESULTS/cmap.times"
